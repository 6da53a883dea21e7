import { plainArrangement } from './arrangement'
import { KeptArrangements, SEND_MS, type KeptArrangement } from './kept-arrangements'

const arrangement = (frozenColumns: number): KeptArrangement => ({
  ...plainArrangement([]),
  columns: [],
  frozenColumns,
})

type Sent = readonly [string, Readonly<Record<string, KeptArrangement>>, boolean]

/** Arrangements whose requests end when `answer` is called. */
function open() {
  const sent: Sent[] = []
  const answers: ((error?: Error) => void)[] = []
  const kept = new KeptArrangements((...request) => {
    sent.push(request)
    return new Promise<void>((resolve, reject) => {
      answers.push((error) => (error ? reject(error) : resolve()))
    })
  })
  const answer = async (error?: Error) => {
    answers.shift()?.(error)
    await jest.advanceTimersByTimeAsync(0)
  }
  return { kept, sent, answer }
}

describe('arrangements', () => {
  beforeEach(() => jest.useFakeTimers())
  afterEach(() => jest.useRealTimers())
  const wait = () => jest.advanceTimersByTimeAsync(SEND_MS)

  it('are known at once and sent together a moment later', async () => {
    const { kept, sent } = open()
    let changes = 0
    kept.watch(() => (changes += 1))
    kept.keep('doc', 1, arrangement(1))
    kept.keep('doc', 1, arrangement(2))
    kept.keep('doc', 2, null)
    expect([kept.find('doc', 1), kept.find('doc', 2), kept.find('doc', 3)]).toEqual([
      arrangement(2),
      null,
      undefined,
    ])
    expect([changes, sent]).toEqual([3, []])
    await wait()
    expect(sent).toEqual([['doc', { 1: arrangement(2), 2: null }, false]])
  })

  it('are sent one request after the other, each with what changed since', async () => {
    const { kept, sent, answer } = open()
    kept.keep('doc', 1, arrangement(1))
    kept.keep('doc', 2, arrangement(1))
    await wait()
    kept.keep('doc', 1, arrangement(2))
    await wait()
    expect(sent).toHaveLength(1)
    await answer()
    await wait()
    expect(sent[1]).toEqual(['doc', { 1: arrangement(2) }, false])
    await answer()
    await wait()
    expect(sent).toHaveLength(2)
  })

  it('are sent at once when the page is left, also those that are not acknowledged', async () => {
    const { kept, sent, answer } = open()
    kept.keep('doc', 1, arrangement(1))
    void kept.leave()
    expect(sent).toEqual([['doc', { 1: arrangement(1) }, true]])
    const other = open()
    other.kept.keep('doc', 1, arrangement(1))
    await wait()
    void other.kept.leave()
    expect(other.sent).toHaveLength(2)
    await other.answer()
    void other.kept.leave()
    expect(other.sent).toHaveLength(2)
    await answer()
  })

  it('that were stored when the page was left are not sent again by the page once it is back', async () => {
    const { kept, sent, answer } = open()
    kept.keep('doc', 1, arrangement(1))
    void kept.leave()
    await answer()
    void kept.leave()
    kept.keep('doc', 2, null)
    await wait()
    expect(sent.map(([, tables]) => tables)).toEqual([{ 1: arrangement(1) }, { 2: null }])
  })

  it('that could not be stored when the page was left are sent with the next change', async () => {
    const { kept, sent, answer } = open()
    kept.keep('doc', 1, arrangement(1))
    void kept.leave()
    await answer(new Error('away'))
    kept.keep('doc', 2, null)
    await wait()
    expect(sent[1]?.[1]).toEqual({ 1: arrangement(1), 2: null })
  })

  it('that could not be stored are shown, and sent with the next change', async () => {
    const { kept, sent, answer } = open()
    const failures: unknown[] = []
    kept.onFailure = (error) => failures.push(error)
    kept.keep('doc', 1, arrangement(1))
    await wait()
    await answer(new Error('away'))
    expect(failures).toEqual([new Error('away')])
    expect(kept.find('doc', 1)).toEqual(arrangement(1))
    kept.keep('doc', 2, null)
    await wait()
    expect(sent[1]).toEqual(['doc', { 1: arrangement(1), 2: null }, false])
  })

  it('are known to the page that is opened next while they are being sent, but not to a later one', async () => {
    const items = new Map<string, string>()
    const tab = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    } as unknown as Storage
    const openPage = (send = () => new Promise<void>(() => {})) => new KeptArrangements(send, tab)
    const left = openPage(() => Promise.resolve())
    left.keep('doc', 1, arrangement(1))
    await wait()
    left.keep('doc', 2, null)
    void left.leave()
    const next = openPage()
    // The first one was stored, and is read with the document.
    expect([next.find('doc', 1), next.find('doc', 2)]).toEqual([undefined, null])
    expect(openPage().find('doc', 2)).toBeUndefined()
    next.keep('doc', 3, null)
    void next.leave()
    jest.setSystemTime(Date.now() + 11_000)
    expect(openPage().find('doc', 3)).toBeUndefined()
  })
})
