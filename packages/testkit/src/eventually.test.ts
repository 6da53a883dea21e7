import { eventually } from './eventually'

describe('eventually', () => {
  const often = { everyMs: 1 }
  const briefly = { ...often, timeoutMs: 30 }

  it('resolves to the first truthy value', async () => {
    const values = [false, null, 0, '', 'here']
    expect(await eventually(() => values.shift(), often)).toBe('here')
  })

  it('takes a block of expectations that holds for a success', async () => {
    let calls = 0
    await eventually(() => {
      expect(++calls).toBe(3)
    }, often)
    expect(calls).toBe(3)
  })

  it('waits for promises', async () => {
    let calls = 0
    const attempt = async () => {
      await Promise.resolve()
      if (++calls < 3) throw new Error('too early')
      return calls
    }
    expect(await eventually(attempt, often)).toBe(3)
  })

  it('tells the last failure when time is up', async () => {
    const cause = new Error('the row is missing')
    const failure = eventually(() => Promise.reject(cause), briefly)
    await expect(failure).rejects.toThrow('not within 30 ms: the row is missing')
    await expect(failure).rejects.toMatchObject({ cause })
  })

  it('tells the last value when nothing was thrown', async () => {
    await expect(eventually(() => false, briefly)).rejects.toThrow('it was still false')
  })

  it('looks once more at the end rather than failing a check that never ran', async () => {
    expect(await eventually(() => 'at once', { timeoutMs: 0 })).toBe('at once')
  })
})
