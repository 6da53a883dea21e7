import { Load } from './load'
import { LongAnswer } from './response-pacing'

const createLoad = () => new Load({ requests: 1_000_000, bodyBytes: 1, changeStreams: 1 })

/** Something that takes this long, as sending a piece does. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('goes on at once when no other request came', () => {
  using answer = new LongAnswer(createLoad(), new AbortController().signal)
  work(5)

  expect(answer.giveWay(0)).toBeUndefined()
})

it('pauses when others came, and then goes on at once', async () => {
  const load = createLoad()
  using answer = new LongAnswer(load, new AbortController().signal)
  work(5)
  for (let i = 0; i < 100; i++) load.begin()
  const before = performance.now()

  await answer.giveWay(0)

  expect(performance.now() - before).toBeGreaterThan(5)
  expect(answer.giveWay(0)).toBeUndefined()
})

it('pauses no longer than its own work asks for, however many came', async () => {
  const load = createLoad()
  using answer = new LongAnswer(load, new AbortController().signal)
  for (let i = 0; i < 100_000; i++) load.begin()

  const pause = answer.giveWay(0)

  // It has done next to nothing: 100,000 requests would be 50 seconds.
  await expect(pause).resolves.toBeUndefined()
})

it('pauses for what a piece took where it was made, although it was there at once', () => {
  const load = createLoad()
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
  using answer = new LongAnswer(load, AbortSignal.abort())
  const pauses = [1_000, 1_000_000].map((bytes) => {
    for (let i = 0; i < 100; i++) load.begin()
    const pause = answer.giveWay(bytes)
    // The signal is aborted: what would be a pause ends at once.
    pause?.catch(() => {})
    return pause !== undefined
  })
  clock.mockRestore()

  expect(pauses).toEqual([false, true])
})

it('pauses no more when it has stood back for long enough', () => {
  const load = createLoad()
  // From the beginning: a process that has run for a quarter of an hour would be ahead of the clock below.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
  using answer = new LongAnswer(load, AbortSignal.abort())
  let paused = 0
  for (let piece = 1; piece <= 1_000; piece++) {
    clock.mockReturnValue(piece * 1_000_000)
    for (let i = 0; i < 100; i++) load.begin()
    const pause = answer.giveWay(0)
    // The signal is aborted: what would be a pause ends at once.
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
  using answer = new LongAnswer(load, gone.signal)
  work(20)
  for (let i = 0; i < 100; i++) load.begin()

  const pause = answer.giveWay(0)
  gone.abort(new Error('the client has gone'))

  await expect(pause).rejects.toThrow()
})

it('counts as long as it is sent', () => {
  const load = createLoad()
  {
    using answer = new LongAnswer(load, new AbortController().signal)
    expect([load.longAnswers, answer.giveWay(0)]).toEqual([1, undefined])
  }
  expect(load.longAnswers).toBe(0)
})
