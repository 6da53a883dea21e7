import { Load } from './load'
import { ResponsePacer } from './response-pacing'

const createLoad = () => new Load({ requests: 1_000_000, bodyBytes: 1, changeStreams: 1 })

/** Blocks for this long, as sending a chunk does. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('goes on at once when no other request came', () => {
  using answer = new ResponsePacer(createLoad(), new AbortController().signal)
  work(5)

  expect(answer.pace(0)).toBeUndefined()
})

it('pauses when others came, and then goes on at once', async () => {
  const load = createLoad()
  using answer = new ResponsePacer(load, new AbortController().signal)
  work(5)
  for (let i = 0; i < 100; i++) load.begin({})
  const before = performance.now()

  await answer.pace(0)

  expect(performance.now() - before).toBeGreaterThan(5)
  expect(answer.pace(0)).toBeUndefined()
})

it('pauses no longer than its own work asks for, however many came', async () => {
  const load = createLoad()
  using answer = new ResponsePacer(load, new AbortController().signal)
  for (let i = 0; i < 100_000; i++) load.begin({})

  const pause = answer.pace(0)

  // Hardly any work has been done: 100,000 requests would be 50 seconds.
  await expect(pause).resolves.toBeUndefined()
})

it('pauses for what a piece took where it was made, although it was there at once', () => {
  const load = createLoad()
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
  using answer = new ResponsePacer(load, AbortSignal.abort())
  const pauses = [1_000, 1_000_000].map((bytes) => {
    for (let i = 0; i < 100; i++) load.begin({})
    const pause = answer.pace(bytes)
    // The signal is aborted: a pause ends at once.
    pause?.catch(() => {})
    return pause !== undefined
  })
  clock.mockRestore()

  expect(pauses).toEqual([false, true])
})

it('pauses no more when it has stood back for long enough', () => {
  const load = createLoad()
  // From zero: a process that has run for a quarter of an hour would be ahead of the clock below.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
  using answer = new ResponsePacer(load, AbortSignal.abort())
  let paused = 0
  for (let piece = 1; piece <= 1_000; piece++) {
    clock.mockReturnValue(piece * 1_000_000)
    for (let i = 0; i < 100; i++) load.begin({})
    const pause = answer.pace(0)
    // The signal is aborted: a pause ends at once.
    pause?.catch(() => {})
    if (pause) paused++
  }
  clock.mockRestore()

  // Each is 100 ms long.
  expect(paused).toBe(150)
})

it('ends its pause when the answer is given up', async () => {
  const load = createLoad()
  const gone = new AbortController()
  using answer = new ResponsePacer(load, gone.signal)
  work(20)
  for (let i = 0; i < 100; i++) load.begin({})

  const pause = answer.pace(0)
  gone.abort(new Error('the client has gone'))

  await expect(pause).rejects.toThrow()
})

it('counts as long as it is sent', () => {
  const load = createLoad()
  {
    using answer = new ResponsePacer(load, new AbortController().signal)
    expect([load.pacedResponses, answer.pace(0)]).toEqual([1, undefined])
  }
  expect(load.pacedResponses).toBe(0)
})
