import Database from 'better-sqlite3'
import { Connection } from '../sqlite/connections'
import { migrate } from '../sqlite/migrations/index'
import { findReply, hasOldReplies, keepReply, removeOldReplies, type ReplyKey } from './idempotency'

const HOUR = 3600 * 1000

let connection: Connection
beforeEach(() => {
  connection = new Connection(new Database(':memory:'))
  migrate(connection.db)
})
afterEach(() => {
  jest.restoreAllMocks()
  connection.close()
})

const keyOf = (key: string, of: Partial<ReplyKey> = {}): ReplyKey => ({
  userId: 1,
  key,
  digest: Buffer.alloc(32, 1),
  ...of,
})
const keep = (key: string, bytes: Uint8Array = Buffer.from(key)) =>
  keepReply(connection, keyOf(key), { seq: 1, bytes })
const held = (key: string) => findReply(connection, keyOf(key))?.toString()
const count = () => connection.pluck('SELECT count(*) FROM _sheaf_replies').get()
const removeAll = () => {
  let steps = 1
  while (removeOldReplies(connection)) steps++
  return steps
}
const passTime = (ms: number) => {
  const now = Date.now() + ms
  jest.spyOn(Date, 'now').mockReturnValue(now)
}

describe('replies', () => {
  it('are found by user and key', () => {
    keep('a')
    expect(held('a')).toBe('a')
    expect(held('b')).toBeUndefined()
    expect(findReply(connection, keyOf('a', { userId: 2 }))).toBeUndefined()
  })

  it('to another request under the same key are a mismatch', () => {
    keep('a')
    const other = keyOf('a', { digest: Buffer.alloc(32, 2) })
    expect(() => findReply(connection, other)).toThrow(
      expect.objectContaining({ code: 'mismatch', reason: 'IDEMPOTENCY_KEY_REUSED' }) as Error,
    )
  })

  it('that are too large are refused', () => {
    expect(() => keep('a', Buffer.alloc(4 * 1024 * 1024 + 1))).toThrow(
      expect.objectContaining({ code: 'too_large' }) as Error,
    )
  })

  it('end after 24 hours, and their keys are free again', () => {
    keep('a')
    passTime(23 * HOUR)
    expect(held('a')).toBe('a')
    passTime(2 * HOUR)
    expect(held('a')).toBeUndefined()
    keepReply(connection, keyOf('a', { digest: Buffer.alloc(32, 3) }), {
      seq: 2,
      bytes: Buffer.from('new'),
    })
    expect(findReply(connection, keyOf('a', { digest: Buffer.alloc(32, 3) }))?.toString()).toBe(
      'new',
    )
  })

  it('are removed a few at a time when they are old, and only then', () => {
    for (let i = 0; i < 250; i++) keep(`old${i}`)
    passTime(12 * HOUR)
    for (let i = 0; i < 5; i++) keep(`new${i}`)
    expect(hasOldReplies(connection)).toBe(false)
    expect(removeAll()).toBe(1)
    passTime(13 * HOUR)
    expect(hasOldReplies(connection)).toBe(true)
    expect(removeAll()).toBe(3)
    expect([count(), hasOldReplies(connection), held('new4')]).toEqual([5, false, 'new4'])
    passTime(25 * HOUR)
    removeAll()
    expect([count(), hasOldReplies(connection)]).toEqual([0, false])
  })

  it('are bounded in size: the oldest go first', () => {
    const large = Buffer.alloc(4 * 1024 * 1024)
    for (let i = 0; i < 20; i++) keep(`large${i}`, large)
    expect(hasOldReplies(connection)).toBe(true)
    removeAll()
    expect([count(), held('large3'), held('large4')?.length]).toEqual([16, undefined, large.length])
  })

  it('are bounded in number: the oldest go first', () => {
    connection.db.exec(`
      WITH RECURSIVE numbers (value) AS
        (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 100150)
      INSERT INTO _sheaf_replies (user, key, request_hash, seq, time, reply)
      SELECT 1, 'k' || value, zeroblob(32), 1, ${Date.now()}, zeroblob(1)
      FROM numbers`)
    expect(hasOldReplies(connection)).toBe(true)
    removeAll()
    expect(count()).toBe(100_000)
    expect(connection.pluck('SELECT min(rowid) FROM _sheaf_replies').get()).toBe(151)
  })
})
