import { Backoff, backoffDelay, jitter, retry } from './backoff'

const limits = { firstMs: 100, longestMs: 1_000 }

describe('backoffDelay', () => {
  it('doubles with each failure up to its bound, however many there are', () => {
    const delays = [1, 2, 3, 4, 5, 10_000].map((failures) => backoffDelay(failures, limits))
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000])
  })
})

describe('jitter', () => {
  it('spreads a delay evenly around its value', () => {
    expect([0, 0.5, 1].map((random) => jitter(100, 0.5, random))).toEqual([50, 100, 150])
    expect([0, 1].map((random) => Math.round(jitter(100, 0.2, random)))).toEqual([80, 120])
  })

  it('draws a value of its own for each delay', () => {
    const delays = Array.from({ length: 100 }, () => jitter(100))
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(50)
    expect(Math.max(...delays)).toBeLessThanOrEqual(150)
    expect(new Set(delays).size).toBeGreaterThan(1)
  })
})

describe('Backoff', () => {
  it('starts over after a reset', () => {
    const backoff = new Backoff({ firstMs: 100, longestMs: 100_000 })
    expect(backoff.isFresh).toBe(true)
    for (let failure = 0; failure < 8; failure++) backoff.nextDelay()
    expect(backoff.isFresh).toBe(false)
    expect(backoff.nextDelay()).toBeGreaterThanOrEqual(12_800)
    backoff.reset()
    expect(backoff.isFresh).toBe(true)
    expect(backoff.nextDelay()).toBeLessThanOrEqual(150)
  })
})

describe('retry', () => {
  const failing = (failures: number) => {
    const attempts: number[] = []
    const attempt = () => {
      attempts.push(attempts.length + 1)
      return attempts.length > failures ? Promise.resolve('done') : Promise.reject(new Error('no'))
    }
    return { attempt, attempts }
  }
  const isRetryable = () => true

  it('repeats an operation until it succeeds', async () => {
    const { attempt, attempts } = failing(2)
    await expect(retry(attempt, { delaysMs: [1, 1, 1], isRetryable })).resolves.toBe('done')
    expect(attempts).toHaveLength(3)
  })

  it('ends a delay when its signal is aborted, with the reason', async () => {
    const { attempt, attempts } = failing(1)
    const stop = new AbortController()
    const { signal } = stop
    const settled = retry(attempt, { delaysMs: [60_000], isRetryable, signal })
    stop.abort(new Error('not needed'))
    await expect(settled).rejects.toThrow('not needed')
    expect(attempts).toHaveLength(1)
  })

  it('rejects with the last error when its delays are used up', async () => {
    const { attempt, attempts } = failing(9)
    await expect(retry(attempt, { delaysMs: [1, 1], isRetryable })).rejects.toThrow('no')
    expect(attempts).toHaveLength(3)
  })

  it('repeats nothing after an error that is final, or past its deadline', async () => {
    const once = async (options: object) => {
      const { attempt, attempts } = failing(1)
      const settled = retry(attempt, { delaysMs: [1, 1], isRetryable, ...options })
      await expect(settled).rejects.toThrow()
      expect(attempts).toHaveLength(1)
    }
    await once({ isRetryable: () => false })
    await once({ deadline: Date.now() })
  })

  it('does not repeat an operation when its delay, with jitter, would pass the deadline', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(1)
    try {
      const { attempt, attempts } = failing(1)
      const options = { delaysMs: [100], isRetryable, deadline: Date.now() + 130 }
      await expect(retry(attempt, options)).rejects.toThrow('no')
      expect(attempts).toHaveLength(1)
    } finally {
      random.mockRestore()
    }
  })
})
