import { SingleFlight } from './single-flight'

jest.useFakeTimers()

interface Flight {
  readonly input: string
  readonly signal: AbortSignal
  readonly settle: { resolve(result: string): void; reject(error: unknown): void }
}

function setUp(retryMs?: number) {
  const flights: Flight[] = []
  const results: string[] = []
  const errors: unknown[] = []
  const flight = new SingleFlight<string, string>(
    (input, signal) =>
      new Promise((resolve, reject) =>
        flights.push({ input, signal, settle: { resolve, reject } }),
      ),
    {
      onResult: (result) => results.push(result),
      onError: (error) => {
        errors.push(error)
        return retryMs
      },
    },
    300,
  )
  return {
    flight,
    flights,
    results,
    errors,
    wait: (ms: number) => jest.advanceTimersByTimeAsync(ms),
  }
}

describe('a single flight', () => {
  it('starts once for inputs that follow each other quickly', async () => {
    const { flight, flights, results, wait } = setUp()
    for (const input of ['a', 'ab', 'abc']) {
      flight.give(input)
      await wait(200)
    }
    expect(flights).toEqual([])
    await wait(100)
    expect(flights.map(({ input }) => input)).toEqual(['abc'])
    flights[0]?.settle.resolve('done')
    await wait(0)
    expect(results).toEqual(['done'])
  })

  it('never runs twice at the same time, and drops what a newer input made obsolete', async () => {
    const { flight, flights, results, errors, wait } = setUp()
    flight.give('a')
    await wait(300)
    flight.give('b')
    expect(flights[0]?.signal.aborted).toBe(true)
    await wait(1000)
    expect(flights).toHaveLength(1)
    flights[0]?.settle.reject(new Error('aborted'))
    await wait(0)
    expect(flights.map(({ input }) => input)).toEqual(['a', 'b'])
    flights[1]?.settle.resolve('of b')
    await wait(0)
    expect([results, errors]).toEqual([['of b'], []])
  })

  it('tries again when it is told to, unless there is a newer input', async () => {
    const { flight, flights, errors, wait } = setUp(1000)
    flight.give('a')
    await wait(300)
    flights[0]?.settle.reject('busy')
    await wait(999)
    expect([flights.length, errors]).toEqual([1, ['busy']])
    await wait(1)
    expect(flights).toHaveLength(2)
    flights[1]?.settle.reject('busy')
    await wait(0)
    flight.give('b')
    await wait(5000)
    expect(flights.map(({ input }) => input)).toEqual(['a', 'a', 'b'])
  })

  it('starts nothing after it was cancelled', async () => {
    const { flight, flights, results, wait } = setUp()
    flight.give('a')
    flight.cancel()
    await wait(1000)
    expect(flights).toEqual([])
    flight.give('b')
    await wait(300)
    flight.cancel()
    flights[0]?.settle.resolve('late')
    await wait(1000)
    expect([flights.length, results]).toEqual([1, []])
  })
})
