import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@sheaf/kit/errors'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { readEntries } from '../../src/store/log/log'
import { addRecords } from '../../src/store/records/records'
import { AppendedRecords, takeBase } from '../support/redo'
import { author, createTable, openStore } from '../support/test-store'

const CALLERS = 1000

/** Numbers that are the same in every run. */
function numbers(): (below: number) => number {
  let seed = 7
  return (below) => (seed = (seed * 48271) % 2147483647) % below
}

it('answers each of 1,000 callers once and keeps their writes whole, in whatever stage they leave', async () => {
  await using folder = await tempDir()
  const random = numbers()
  const callers = Array.from({ length: CALLERS }, () => new AbortController())
  const left = new Map<string, number>()
  /** Some callers leave. */
  const leave = (stage: string) => {
    for (let n = random(4); n > 0; n--) {
      const caller = callers[random(CALLERS)]
      if (!caller || caller.signal.aborted) continue
      caller.abort()
      left.set(stage, (left.get(stage) ?? 0) + 1)
    }
  }
  /** A stage that takes no time, waits for some turns, or fails, at once or later. */
  const stage = (name: string) => () => {
    leave(name)
    const away = new AppError('unavailable', 'LOG_UNAVAILABLE', 'away')
    const turns = random(4)
    const fails = random(12) === 0
    if (turns === 0) {
      if (fails) throw away
      return undefined
    }
    return (async () => {
      for (let i = 0; i < turns; i++) {
        await nextTurn()
        leave(name)
      }
      if (fails) throw away
    })()
  }
  const records = new AppendedRecords()
  const append = stage('appending')
  await using store = await openStore(folder.path, {
    workers: 0,
    observeGroup: () => leave('committed'),
    stages: {
      derive: stage('deriving'),
      append: (group) => {
        const waiting = append()
        if (!waiting) return records.append(group)
        return waiting.then(() => records.append(group))
      },
    },
  })
  const docId = await createDocument()
  const base = takeBase(store, docId)
  const count = records.of(docId).length

  async function createDocument(): Promise<string> {
    for (;;)
      try {
        return await createTable(store, 'T', { A: 'Int' })
      } catch (error) {
        expect(error).toMatchObject({ reason: 'LOG_UNAVAILABLE' })
      }
  }

  const outcomes = new Map<number, string[]>()
  const call = async (id: number, caller: AbortController) => {
    const note = (outcome: string) => outcomes.set(id, [...(outcomes.get(id) ?? []), outcome])
    const written = store.transact(
      docId,
      author,
      (doc) => {
        leave('applying')
        const cells = new Map([['A', [id, id, id]]])
        addRecords(doc, 'T', { count: 3, cells }, { noParse: true })
        // This one, whose write is done but for its commit.
        if (random(10) === 0) caller.abort()
        if (random(10) === 0) throw new AppError('invalid', 'BAD', 'bad')
      },
      caller.signal,
    )
    await written.then(
      () => note('written'),
      (error: AppError) => note(error.reason),
    )
  }
  const calls: Promise<void>[] = []
  for (const [id, caller] of callers.entries()) {
    calls.push(call(id, caller))
    if (random(20) === 0) {
      leave('collecting')
      await nextTurn()
    }
  }
  await Promise.all(calls)

  expect([...outcomes.values()].filter((list) => list.length !== 1)).toEqual([])
  expect(outcomes.size).toBe(CALLERS)
  const reasons = new Set([...outcomes.values()].flat())
  expect([...reasons].sort()).toEqual(['BAD', 'CALL_ENDED', 'LOG_UNAVAILABLE', 'written'])
  expect([...left.keys()].sort()).toEqual(
    ['appending', 'applying', 'collecting', 'committed', 'deriving'].sort(),
  )
  const written = [...outcomes].filter(([, [outcome]]) => outcome === 'written')
  expect(written.length).toBeGreaterThan(200)
  const stored = store.read(docId, ({ connection }) =>
    connection.raw<[number, number]>('SELECT A, count(*) FROM T GROUP BY A').all(),
  )
  expect(stored).toEqual(written.map(([id]) => [id, 3]).sort(([a = 0], [b = 0]) => +a - +b))
  const { seq } = store.stateOf(docId)
  expect(seq).toBe(2 + written.length)
  const seqs = store.read(docId, ({ connection }) =>
    readEntries(connection, { after: 0, upTo: seq + 10, maxBytes: 0 }).map((entry) => entry.seq),
  )
  expect(seqs).toEqual(Array.from({ length: seq }, (_, index) => index + 1))
  expect(records.differencesAfterRedo(store, docId, base, count)).toEqual([])
})
