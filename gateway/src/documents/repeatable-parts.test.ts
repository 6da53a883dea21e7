import { AppError } from '@sheaf/kit/errors'
import { RepeatableParts } from './repeatable-parts'

/** Parts that arrive one by one, when they are put. */
function arriving() {
  const waiting: ((next: IteratorResult<number>) => void)[] = []
  const source: AsyncIterator<number> = {
    next: () => new Promise((resolve) => waiting.push(resolve)),
  }
  return { source, put: (value: number) => waiting.shift()?.({ done: false, value }) }
}

async function* counted(most: number): AsyncGenerator<number> {
  for (let part = 1; part <= most; part++) yield await Promise.resolve(part)
}

describe('the parts of an upload', () => {
  it('are sent again from the first while all are kept', async () => {
    const parts = new RepeatableParts(counted(3), () => true)
    for (let call = 0; call < 2; call++) {
      const sent: number[] = []
      for await (const part of parts.send()) sent.push(part)
      expect(sent).toEqual([1, 2, 3])
      expect(parts.canRepeat).toBe(true)
    }
  })

  it('do not count as whole in a call that has not sent those that are no longer kept', async () => {
    const { source, put } = arriving()
    const parts = new RepeatableParts(source, (part) => part < 3)
    const failed = parts.send()
    for (const part of [1, 2]) {
      const next = failed.next()
      put(part)
      expect(await next).toMatchObject({ value: part })
    }
    const late = failed.next()
    // The failed call still waits when the next one has sent the first part.
    const repeated = parts.send()
    expect(await repeated.next()).toMatchObject({ value: 1 })
    put(3)
    await late
    expect(parts.canRepeat).toBe(false)
    await expect(repeated.next()).rejects.toThrow(AppError)
    await expect(parts.send().next()).rejects.toThrow(AppError)
  })

  it('are not sent again once the source has failed', async () => {
    const source = { next: () => Promise.reject(new Error('no access')) }
    const parts = new RepeatableParts<number>(source, () => true)
    expect(parts.canRepeat).toBe(true)
    await expect(parts.send().next()).rejects.toThrow('no access')
    expect(parts.canRepeat).toBe(false)
  })
})
