import Database from 'better-sqlite3'
import { AppError } from '@sheaf/kit/errors'
import { Connection } from './connections'
import { GroupCommit } from './group-commit'

const closed = () => new AppError('unavailable', 'DOCUMENT_CLOSED', 'closed')

describe('GroupCommit', () => {
  let connection: Connection
  let events: string[]
  let group: GroupCommit
  let failure: Error | undefined
  beforeEach(() => {
    connection = new Connection(new Database(':memory:'))
    connection.db.exec('CREATE TABLE t (v UNIQUE)')
    events = []
    failure = undefined
    group = new GroupCommit(connection, {
      memberStarts: () => () => events.push('member undone'),
      record: () => events.push('commit'),
      committed: () => {
        events.push('committed')
        if (failure) throw failure
      },
      undone: () => events.push('undone'),
      spoiled: () => events.push('spoiled'),
    })
  })
  afterEach(() => connection.close())

  const insert = (value: unknown) => () => connection.prepare('INSERT INTO t VALUES (?)').run(value)
  const stored = () => connection.pluck('SELECT v FROM t ORDER BY v').all()
  const outcomes = async (promises: Promise<unknown>[]) =>
    (await Promise.allSettled(promises)).map(({ status }) => status)

  it('commits writes of one moment together', async () => {
    await Promise.all([group.add(insert('a')), group.add(insert('b')), group.add(insert('c'))])
    expect(stored()).toEqual(['a', 'b', 'c'])
    expect(events).toEqual(['commit', 'committed'])
  })

  it('answers nothing before the commit', async () => {
    const write = group.add(insert('a')).then(() => events.push('answered'))
    expect(group.finish(closed())).toBeUndefined()
    await write
    expect(events).toEqual(['commit', 'committed', 'answered'])
  })

  it('answers writes that are on disk when their document cannot follow, instead of ending the process', async () => {
    failure = new Error('disk I/O error')
    await Promise.all([group.add(insert('a')), group.add(insert('b'))])
    expect(stored()).toEqual(['a', 'b'])
    expect(events).toEqual(['commit', 'committed', 'spoiled'])
  })

  it('lets writes wait while it is paused, and runs them in their order afterwards', async () => {
    const early = group.add(insert('a'))
    await group.pause()
    const late = group.add(insert('b'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(stored()).toEqual([])
    expect(group.waiting).toBe(2)
    group.resume()
    await Promise.all([early, late])
    expect(stored()).toEqual(['a', 'b'])
  })

  it('undoes one that fails alone', async () => {
    const refuse = () => {
      insert('half')()
      throw new AppError('invalid', 'BAD', 'bad')
    }
    const writes = [group.add(insert('a')), group.add(refuse), group.add(insert('b'))]
    expect(await outcomes(writes)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(stored()).toEqual(['a', 'b'])
    expect(events).toEqual(['member undone', 'commit', 'committed'])
  })

  it('commits nothing when all fail', async () => {
    const refuse = () => {
      throw new AppError('invalid', 'BAD', 'bad')
    }
    expect(await outcomes([group.add(refuse), group.add(refuse)])).toEqual(['rejected', 'rejected'])
    expect(await outcomes([group.add(insert('after'))])).toEqual(['fulfilled'])
    expect(stored()).toEqual(['after'])
  })

  it('fails the whole group when an error ended its transaction', async () => {
    const lose = () => {
      connection.db.exec("INSERT OR ROLLBACK INTO t VALUES ('a')")
    }
    const writes = [group.add(insert('a')), group.add(lose)]
    expect(await outcomes(writes)).toEqual(['rejected', 'rejected'])
    expect(stored()).toEqual([])
    expect(events).toEqual(['undone'])
    await group.add(insert('later'))
    expect(stored()).toEqual(['later'])
  })

  it('fails the whole group when the commit is prevented', async () => {
    const failing = new GroupCommit(connection, {
      memberStarts: () => () => {},
      record: () => {
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      },
      committed: () => {},
      undone: () => events.push('undone'),
      spoiled: () => events.push('spoiled'),
    })
    const writes = [failing.add(insert('a')), failing.add(insert('b'))]
    await expect(writes[0]).rejects.toMatchObject({ code: 'unavailable', reason: 'DISK_FULL' })
    await expect(writes[1]).rejects.toMatchObject({ reason: 'DISK_FULL' })
    expect(stored()).toEqual([])
    expect(events).toEqual(['undone', 'spoiled'])
  })

  it('answers nobody with a result, and keeps nothing, when the COMMIT itself fails', async () => {
    connection.db.exec(`
      PRAGMA foreign_keys = ON;
      CREATE TABLE later (v REFERENCES t (v) DEFERRABLE INITIALLY DEFERRED)`)
    // SQLite checks this only with the COMMIT, and then leaves the transaction open.
    const refer = () => connection.prepare('INSERT INTO later VALUES (?)').run('missing')
    const writes = [group.add(insert('a')), group.add(refer)]
    expect(await outcomes(writes)).toEqual(['rejected', 'rejected'])
    expect(stored()).toEqual([])
    expect(events).toEqual(['commit', 'undone'])
    await group.add(insert('later'))
    expect(stored()).toEqual(['later'])
  })

  it('does not run a write whose call has ended', async () => {
    const ended = new AbortController()
    const writes = [group.add(insert('a'), ended.signal), group.add(insert('b'))]
    ended.abort()
    expect(await outcomes(writes)).toEqual(['rejected', 'fulfilled'])
    expect(stored()).toEqual(['b'])
  })

  it('refuses writes when too many wait, and none that it took', async () => {
    const writes = Array.from({ length: 2100 }, (_, i) => group.add(insert(i)))
    const ends = await outcomes(writes)
    expect(ends.filter((end) => end === 'rejected')).toHaveLength(100)
    await expect(writes[2099]).rejects.toMatchObject({ code: 'too_many', reason: 'DOCUMENT_BUSY' })
    expect(stored()).toHaveLength(2000)
  })

  it('fails what waits when it is closed', async () => {
    const write = group.add(insert('a'))
    group.close(closed())
    await expect(write).rejects.toMatchObject({ reason: 'DOCUMENT_CLOSED' })
    await expect(group.add(insert('b'))).rejects.toMatchObject({ reason: 'DOCUMENT_CLOSED' })
    expect(stored()).toEqual([])
  })
})
