import Database from 'better-sqlite3'
import { AppError } from '@sheaf/kit/errors'
import { Connection } from './connections'
import { GroupCommit } from './group-commit'
import type { StageSignal } from './write-group'

const STAGES = ['derive', 'append'] as const
type Stage = (typeof STAGES)[number]

/** A stage of a group that waits until the test lets it continue. */
interface Held {
  readonly stage: Stage
  readonly signal: AbortSignal
  readonly release: () => void
  readonly fail: (error: Error) => void
}

describe('WriteGroup', () => {
  let connection: Connection
  let reader: Connection
  let events: string[]
  let group: GroupCommit
  /** Stages that wait, and the one that waits now. */
  let holding: Set<Stage>
  let held: Held | undefined

  beforeEach(() => {
    const db = new Database(':memory:')
    connection = new Connection(db)
    reader = connection
    connection.db.exec('CREATE TABLE t (v)')
    events = []
    holding = new Set(STAGES)
    held = undefined
    const hold = (stage: Stage) => (signal: StageSignal) => {
      events.push(stage)
      if (!holding.has(stage)) return undefined
      return new Promise<void>((resolve, reject) => {
        held = { stage, signal: signal(), release: resolve, fail: reject }
      })
    }
    group = new GroupCommit(connection, {
      memberStarts: () => () => events.push('member undone'),
      derive: hold('derive'),
      record: () => events.push('record'),
      append: hold('append'),
      committed: () => events.push('committed'),
      undone: () => events.push('undone'),
      spoiled: () => events.push('spoiled'),
    })
  })
  afterEach(() => connection.close())

  const insert = (value: unknown) => () => connection.prepare('INSERT INTO t VALUES (?)').run(value)
  const stored = () => reader.pluck('SELECT v FROM t ORDER BY v').all()
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const reach = async (stage: Stage): Promise<Held> => {
    while (held?.stage !== stage) {
      const before = held
      before?.release()
      await turn()
    }
    return held
  }
  const closed = () => new AppError('unavailable', 'DOCUMENT_CLOSED', 'closed')

  it('runs its stages in order, and answers after the last', async () => {
    holding.clear()
    await group.add(insert('a'))
    expect(events).toEqual(['derive', 'record', 'append', 'committed'])
  })

  it.each(STAGES)('answers nobody and takes no other write while %s waits', async (stage) => {
    holding = new Set([stage])
    let answers = 0
    const first = group.add(insert('a')).then(() => answers++)
    const { release } = await reach(stage)
    const second = group.add(insert('b')).then(() => answers++)
    await turn()
    await turn()
    expect(group.isOpen).toBe(true)
    expect([answers, group.waiting]).toEqual([0, 1])
    holding.clear()
    release()
    await Promise.all([first, second])
    expect(stored()).toEqual(['a', 'b'])
  })

  it.each(STAGES)('undoes the whole group when %s fails, and serves the next', async (stage) => {
    holding = new Set([stage])
    const writes = [group.add(insert('a')), group.add(insert('b'))]
    const { fail } = await reach(stage)
    fail(new AppError('unavailable', 'LOG_UNAVAILABLE', 'away'))
    for (const write of writes)
      await expect(write).rejects.toMatchObject({ reason: 'LOG_UNAVAILABLE' })
    expect(stored()).toEqual([])
    expect(events.at(-1)).toBe('undone')
    holding.clear()
    await group.add(insert('later'))
    expect(stored()).toEqual(['later'])
  })

  it.each([
    ['answers a write whose commit failed after its append when the document is there again', true],
    ['does not say that such a write had no effect when the document cannot be made again', false],
  ])('%s', async (_, isMade) => {
    connection.db.exec(`PRAGMA foreign_keys = ON; CREATE TABLE parent (id PRIMARY KEY);
      CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)`)
    const moved = new AppError('unavailable', 'DOCUMENT_MOVED', 'opened elsewhere')
    const recovering = new GroupCommit(connection, {
      memberStarts: () => () => {},
      record: () => {},
      append: () => Promise.resolve(),
      recover: () => (isMade ? Promise.resolve() : Promise.reject(moved)),
      committed: () => {},
      undone: () => events.push('undone'),
      spoiled: () => events.push('spoiled'),
    })
    const write = recovering.add(() => connection.prepare('INSERT INTO child VALUES (1)').run())
    if (isMade) await write
    else await expect(write).rejects.toMatchObject({ reason: 'LOG_UNAVAILABLE' })
    expect(events).toEqual(['undone', 'spoiled'])
  })

  it.each(STAGES)('fails the group when %s throws at once', async (stage) => {
    const failing = new GroupCommit(connection, {
      memberStarts: () => () => {},
      record: () => {},
      committed: () => {},
      undone: () => events.push('undone'),
      spoiled: () => events.push('spoiled'),
      [stage]: () => {
        throw new AppError('unavailable', 'LOG_UNAVAILABLE', 'away')
      },
    })
    await expect(failing.add(insert('a'))).rejects.toMatchObject({ reason: 'LOG_UNAVAILABLE' })
    expect(stored()).toEqual([])
    expect(events).toEqual(['undone'])
  })

  it.each(STAGES)('rolls back and rejects its members when it is closed in %s', async (stage) => {
    holding = new Set([stage])
    const writes = [group.add(insert('a'))]
    const { signal, release } = await reach(stage)
    writes.push(group.add(insert('b')))
    group.close(closed())
    for (const write of writes)
      await expect(write).rejects.toMatchObject({ reason: 'DOCUMENT_CLOSED' })
    expect(signal.aborted).toBe(true)
    expect([stored(), group.isOpen]).toEqual([[], false])
    release()
    await turn()
    expect(events.filter((event) => event === 'undone')).toHaveLength(1)
    expect(events).not.toContain('committed')
  })

  it.each(STAGES)('finishes the group that waits in %s and those behind it', async (stage) => {
    holding = new Set([stage])
    const first = group.add(insert('a'))
    const { release } = await reach(stage)
    const second = group.add(insert('b'))
    const finished = group.finish(closed())
    await expect(group.add(insert('late'))).rejects.toMatchObject({ reason: 'DOCUMENT_CLOSED' })
    holding.clear()
    release()
    await finished
    await Promise.all([first, second])
    expect(stored()).toEqual(['a', 'b'])
  })

  it.each(STAGES)('lets other uses of the connection wait until %s ends', async (stage) => {
    holding = new Set([stage])
    const write = group.add(insert('a'))
    const { release } = await reach(stage)
    const seen: string[] = []
    const paused = group.pause().then(() => seen.push(`paused ${connection.db.inTransaction}`))
    const between = group
      .runBetween(() => connection.db.inTransaction)
      .then((open) => seen.push(`between ${open}`))
    await turn()
    expect(seen).toEqual([])
    release()
    await Promise.all([write, paused, between])
    expect(seen.sort()).toEqual(['between false', 'paused false'])
  })

  it('gives up a stage that waits for longer than 30 seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] })
    try {
      const write = group.add(insert('a'))
      const { signal } = await reach('derive')
      const rejected = expect(write).rejects.toMatchObject({ reason: 'DOCUMENT_BUSY' })
      jest.advanceTimersByTime(30_000)
      await rejected
      expect([signal.aborted, stored()]).toEqual([true, []])
    } finally {
      jest.useRealTimers()
    }
  })

  it('finishes more writes than one group takes, one group after the other', async () => {
    holding = new Set(['derive'])
    const writes = Array.from({ length: 300 }, (_, n) => group.add(insert(n)))
    // The group that was to begin in the next turn finds this one open.
    const finished = group.finish(closed())
    const { release } = await reach('derive')
    await turn()
    await turn()
    holding.clear()
    release()
    await finished
    await Promise.all(writes)
    expect(stored()).toHaveLength(300)
  })

  it('lets nothing use the connection once it is closed', async () => {
    holding.clear()
    const between = expect(
      group.add(insert('a')).then(() => group.runBetween(() => 'used')),
    ).rejects.toMatchObject({ reason: 'DOCUMENT_CLOSED' })
    await group.finish(closed())
    await between
  })

  it('answers each of 1,000 callers once, whatever stage they leave in', async () => {
    holding.clear()
    let seed = 1
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
    const outcomes = new Map<number, string[]>()
    const begin = (id: number) => {
      const ended = new AbortController()
      const written = group.add(() => {
        insert(id)()
        // Its write is done but for the commit.
        if (random(10) === 0) ended.abort()
        if (random(10) === 0) throw new AppError('invalid', 'BAD', 'bad')
      }, ended.signal)
      const note = (outcome: string) => outcomes.set(id, [...(outcomes.get(id) ?? []), outcome])
      const call = written.then(
        () => note('ok'),
        (error: AppError) => note(error.reason),
      )
      return { ended, call }
    }
    const calls: ReturnType<typeof begin>[] = []
    const leave = () => {
      for (let leaving = random(3); leaving > 0; leaving--) {
        // One that came lately, or any.
        const last = random(2) === 0 ? Math.min(calls.length, 10) : calls.length
        calls.at(-1 - random(last))?.ended.abort()
      }
    }
    const stages: (Stage | undefined)[] = ['derive', 'append', undefined]
    while (calls.length < 1000 || group.waiting > 0 || group.isOpen) {
      for (let n = random(20); n > 0 && calls.length < 1000; n--) calls.push(begin(calls.length))
      leave()
      const stage = stages[random(3)]
      if (stage) holding.add(stage)
      await turn()
      leave()
      holding.clear()
      const waiting = held
      held = undefined
      if (random(4) === 0) waiting?.fail(new AppError('unavailable', 'LOG_UNAVAILABLE', 'away'))
      else waiting?.release()
      await turn()
    }
    await Promise.all(calls.map(({ call }) => call))
    expect(outcomes.size).toBe(1000)
    expect([...outcomes.values()].every((list) => list.length === 1)).toBe(true)
    const kept = [...outcomes].filter(([, [outcome]]) => outcome === 'ok').map(([id]) => id)
    expect(stored()).toEqual(kept.sort((a, b) => a - b))
    const reasons = new Set([...outcomes.values()].flat())
    expect([...reasons].sort()).toEqual(['BAD', 'CALL_ENDED', 'LOG_UNAVAILABLE', 'ok'])
  })
})
