import { Closer, openWith } from './lifecycle'

describe('Closer', () => {
  it('closes in reverse order, all of it, and tells what failed', async () => {
    const order: string[] = []
    const closer = new Closer()
    closer.defer(() => void order.push('first'))
    closer.defer(() => {
      order.push('second')
      throw new Error('broken')
    })
    closer.use({ [Symbol.asyncDispose]: async () => void order.push('third') })
    await expect(closer.close()).rejects.toThrow('broken')
    expect(order).toEqual(['third', 'second', 'first'])
  })

  it('closes once', async () => {
    let closed = 0
    const closer = new Closer()
    closer.defer(() => void closed++)
    await closer.close()
    await closer.close()
    expect(closed).toBe(1)
  })
})

describe('openWith', () => {
  it('closes what was opened when a later step fails', async () => {
    const closed: string[] = []
    const opening = openWith(async (closer) => {
      closer.defer(() => void closed.push('a'))
      closer.defer(() => void closed.push('b'))
      throw new Error('third step')
    })
    await expect(opening).rejects.toThrow('third step')
    expect(closed).toEqual(['b', 'a'])
  })

  it('leaves everything open when all went well', async () => {
    const closed: string[] = []
    const closer = await openWith(async (opened) => {
      opened.defer(() => void closed.push('a'))
      return opened
    })
    expect(closed).toEqual([])
    await closer.close()
    expect(closed).toEqual(['a'])
  })
})
