import Database from 'better-sqlite3'
import { Connection } from '../sqlite/connections'
import { migrate } from '../sqlite/migrations/index'
import { readEntries, type Author } from './log'
import { beginLog, PublishState } from './publish-state'
import { RecordWriter, type NewRecord } from './record-writer'

const author: Author = { userId: 1, cause: 'api', traceparent: '' }
const reply = (key: string) => ({
  userId: 1,
  key,
  digest: Buffer.alloc(32),
  seq: 1,
  bytes: Buffer.from(key),
})
const write = (seq: number): NewRecord => ({ author, seq, operations: [], reply: undefined })

let connection: Connection
let records: RecordWriter
beforeEach(() => {
  connection = new Connection(new Database(':memory:'))
  migrate(connection.db)
  beginLog(connection, author, [])
  records = new RecordWriter(connection)
})
afterEach(() => {
  jest.restoreAllMocks()
  connection.close()
})

/** Stores what was added, and returns its positions. */
const store = () => {
  records.store()
  const positions = records.stored.map(({ lsn }) => lsn)
  records.committed()
  return positions
}
const times = () =>
  readEntries(connection, { after: 0, upTo: 100, maxBytes: 100 }).map(({ time }) => time)

describe('records', () => {
  it('follow each other without a gap, with or without an entry', () => {
    records.add(write(2))
    records.add({ ...write(0), seq: undefined, reply: reply('a') })
    records.add({ ...write(0), seq: undefined })
    records.add({ ...write(3), reply: reply('b') })
    expect(store()).toEqual([2, 3, 4])
    expect(connection.raw('SELECT seq, lsn FROM _sheaf_log').all()).toEqual([
      [1, 1],
      [2, 2],
      [3, 4],
    ])
    expect(connection.raw('SELECT key, lsn FROM _sheaf_replies').all()).toEqual([
      ['a', 3],
      ['b', 4],
    ])
  })

  it('never have a time before that of the one before, whatever the clock does', () => {
    const [first = 0] = times()
    const clock = jest.spyOn(Date, 'now')
    for (const [index, now] of [first + 50, first - 9000, first + 20, first + 60].entries()) {
      clock.mockReturnValue(now)
      // Also after a restart.
      records = new RecordWriter(connection)
      records.add(write(index + 2))
      store()
    }
    expect(times()).toEqual([first, first + 50, first + 50, first + 50, first + 60])
  })

  it('never have a time before that of publish marks that a file kept', () => {
    const [first = 0] = times()
    const clock = jest.spyOn(Date, 'now').mockReturnValue(first + 500)
    records.add({ ...write(0), seq: undefined, reply: reply('a') })
    store()
    clock.mockReturnValue(first + 900)
    const state = new PublishState(connection)
    state.confirm(1)
    state.save(connection, 1, () => records.place())
    records.committed()
    clock.mockReturnValue(first)
    records = new RecordWriter(connection)
    records.add(write(2))
    store()
    expect(times()).toEqual([first, first + 900])
  })

  it('keep publish marks with the last of their transaction, or in one of their own', () => {
    const marks = { published: 1, batch: 1 }
    records.add(write(2))
    records.store()
    expect(records.place().lsn).toBe(2)
    records.keepMarks(marks)
    expect(records.stored).toMatchObject([{ lsn: 2, entry: { seq: 2 }, marks }])
    records.committed()
    expect(records.place().lsn).toBe(3)
    records.keepMarks(marks)
    expect(records.stored).toMatchObject([{ lsn: 3, marks }])
  })

  it('of a transaction that was rolled back leave their positions to the next', () => {
    records.add(write(2))
    records.store()
    records.undone()
    records.add(write(9))
    records.undone()
    connection.prepare('DELETE FROM _sheaf_log WHERE seq = 2').run()
    records.add(write(2))
    expect(store()).toEqual([2])
  })

  it('of a write that failed alone are forgotten with its reply', () => {
    records.add({ ...write(2), reply: reply('a') })
    const forget = records.remember()
    records.add({ ...write(3), reply: reply('b') })
    forget()
    expect(records.pendingReplies.map(({ key }) => key)).toEqual(['a'])
    expect(store()).toEqual([2])
    expect(records.pendingReplies).toEqual([])
  })

  it('never reuse a position after a restart', () => {
    records.add({ ...write(0), seq: undefined, reply: reply('a') })
    expect(store()).toEqual([2])
    records = new RecordWriter(connection)
    records.add({ ...write(0), seq: undefined, reply: reply('b') })
    expect(store()).toEqual([3])
    connection.prepare('UPDATE _sheaf_state SET lsn = 5').run()
    records = new RecordWriter(connection)
    records.add(write(2))
    expect(store()).toEqual([6])
    records = new RecordWriter(connection)
    records.add(write(3))
    expect(store()).toEqual([7])
  })
})

describe('a migration', () => {
  /** A document of an earlier form, whose last entry is 7. */
  const createOld = (undo: string) => {
    const old = new Connection(new Database(':memory:'))
    migrate(old.db)
    beginLog(old, author, [])
    old.db.exec(`
      INSERT INTO _sheaf_log SELECT 7, time + 5000, user, cause, traceparent, tables, operations, NULL, 7, 0 FROM _sheaf_log;
      DROP TABLE _sheaf_views;
      DROP INDEX _sheaf_log_keys;
      ALTER TABLE _sheaf_log DROP COLUMN key_id;
      DROP TABLE _sheaf_due_cells;
      DROP TABLE _sheaf_due_writes;
      ALTER TABLE _sheaf_formulas DROP COLUMN pending_by;
      ALTER TABLE _sheaf_formulas DROP COLUMN pending_fires;
      DROP TABLE _sheaf_orders;
      ALTER TABLE _sheaf_state DROP COLUMN time;
      ALTER TABLE _sheaf_state DROP COLUMN term;
      ALTER TABLE _sheaf_state DROP COLUMN origins;
      ${undo}`)
    return old
  }
  /** The positions of the records that are added after a migration. */
  const continueAfter = (old: Connection) => {
    migrate(old.db)
    const writer = new RecordWriter(old)
    writer.add(write(8))
    writer.store()
    const [record] = writer.stored
    old.close()
    return record
  }

  it('of a document without positions is a record behind its last entry', () => {
    const old = createOld(`
      DROP TABLE _sheaf_formulas;
      DROP TABLE _sheaf_lookup_uses;
      ALTER TABLE _sheaf_log DROP COLUMN lsn;
      ALTER TABLE _sheaf_replies DROP COLUMN lsn;
      ALTER TABLE _sheaf_state DROP COLUMN lsn;
      PRAGMA user_version = 5`)
    expect(continueAfter(old)?.lsn).toBe(9)
  })

  it('of a document with positions takes the one behind its latest record, and is not later than the next', () => {
    const old = createOld('UPDATE _sheaf_state SET lsn = 20; PRAGMA user_version = 7')
    const before = Date.now()
    const next = continueAfter(old)
    expect(next?.lsn).toBe(22)
    expect(next?.time).toBeGreaterThanOrEqual(before + 4000)
  })

  it('is not earlier than the latest entry, although the clock was set back', () => {
    const old = createOld('PRAGMA user_version = 7')
    const latest = old.pluck<number>('SELECT max(time) FROM _sheaf_log').get() ?? 0
    expect(latest).toBeGreaterThan(Date.now())
    migrate(old.db)
    expect(old.pluck('SELECT time FROM _sheaf_state').get()).toBe(latest)
    old.close()
  })

  it('takes none when there is nothing to migrate', () => {
    migrate(connection.db)
    records = new RecordWriter(connection)
    records.add(write(2))
    expect(store()).toEqual([2])
  })
})

describe('a change of more than 256 MiB', () => {
  const text = 'x'.repeat(129 * 1024 * 1024)
  const update = (...values: string[]): NewRecord => ({
    ...write(2),
    operations: [
      {
        kind: 'add_rows',
        tableRef: 1,
        rowIds: values.map((_, index) => index + 1),
        columns: [{ ref: 1, new: values }],
      } as never,
    ],
  })
  const refused = expect.objectContaining({
    code: 'too_large',
    reason: 'CHANGE_TOO_LARGE',
  }) as Error

  it('is refused, whether its write or results of formulas make it so large', () => {
    expect(() => records.add(update(text, text))).toThrow(refused)
    expect(store()).toEqual([])
    records.add(update(text))
    expect(() => records.extend(2, update(text).operations)).toThrow(refused)
  })

  it('is refused when Node cannot make its text', () => {
    jest.spyOn(JSON, 'stringify').mockImplementationOnce(() => {
      throw new RangeError('Invalid string length')
    })
    expect(() => records.add(update('short'))).toThrow(refused)
  })
})
