import Database from 'better-sqlite3'
import { Connection } from '../sqlite/connections'
import { migrate } from '../sqlite/migrations/index'
import { beginLog } from './publish-state'
import {
  findReply,
  hasOldReplies,
  readReplyPosition,
  removeOldReplies,
  requireStorable,
  storeReply,
  type ReplyKey,
} from './replies'

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
  storeReply(connection, { ...keyOf(key), seq: 1, bytes }, { lsn: 1, time: Date.now() })
const held = (key: string) => text(findReply(connection, keyOf(key)))
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()
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
    requireStorable(Buffer.alloc(4 * 1024 * 1024))
    expect(() => requireStorable(Buffer.alloc(4 * 1024 * 1024 + 1))).toThrow(
      expect.objectContaining({ code: 'too_large' }) as Error,
    )
  })

  it('end after 24 hours, and their keys are free again', () => {
    keep('a')
    passTime(23 * HOUR)
    expect(held('a')).toBe('a')
    passTime(2 * HOUR)
    expect(held('a')).toBeUndefined()
    const again = keyOf('a', { digest: Buffer.alloc(32, 3) })
    const reply = { ...again, seq: 2, bytes: Buffer.from('new') }
    storeReply(connection, reply, { lsn: 2, time: Date.now() })
    expect(text(findReply(connection, again))).toBe('new')
  })

  it('of the open transaction are found before they are stored', () => {
    const pending = [{ ...keyOf('a'), seq: 1, bytes: Buffer.from('early') }]
    expect(text(findReply(connection, keyOf('a'), pending))).toBe('early')
    expect(findReply(connection, keyOf('b'), pending)).toBeUndefined()
    const other = keyOf('a', { digest: Buffer.alloc(32, 2) })
    expect(() => findReply(connection, other, pending)).toThrow(
      expect.objectContaining({ reason: 'IDEMPOTENCY_KEY_REUSED' }) as Error,
    )
  })

  it('leave their position behind when they are removed', () => {
    beginLog(connection, { userId: 1, cause: 'api', traceparent: '' }, [])
    const reply = { ...keyOf('a'), seq: 1, bytes: Buffer.from('a') }
    storeReply(connection, reply, { lsn: 7, time: Date.now() })
    expect(readReplyPosition(connection).lsn).toBe(7)
    passTime(25 * HOUR)
    removeAll()
    expect(readReplyPosition(connection).lsn).toBe(0)
    expect(connection.pluck('SELECT lsn FROM _sheaf_state').get()).toBe(7)
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
