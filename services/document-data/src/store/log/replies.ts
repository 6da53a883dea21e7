import { AppError } from '@sheaf/kit/errors'
import { requireRow, type Connection } from '../sqlite/connections'
import type { RecordPosition } from './log'

/*
 * Replies to writes with an idempotency key. A reply is part of the record of its write, so it exists if and
 * only if the write does; a rejected write has changed nothing and stores none. Row ids increase with time,
 * and `total` is the running sum of sizes, so expired and excess replies are at the lower end.
 */

/** Milliseconds for which a reply is kept. */
const KEPT_MS = 24 * 3600 * 1000
/** Maximum replies of a document; beyond it, the oldest are removed early. */
const MAX_REPLIES = 100_000
/** Maximum bytes of all replies of a document; likewise. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024
/** Maximum bytes of one reply: the ids of about a million rows. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024
/** Replies removed in one go. */
const STEP = 100

/** The write that a reply belongs to. */
export interface ReplyKey {
  readonly userId: number
  /** The key, as chosen by the user. */
  readonly key: string
  /** SHA-256 of the request. */
  readonly digest: Uint8Array
}

/** A reply, and the write that it belongs to. */
export interface Reply extends ReplyKey {
  /** Log position that it names. */
  readonly seq: number
  readonly bytes: Uint8Array
}

/**
 * The reply to the write with this key; undefined when there is none. Throws `mismatch` when the key was used
 * for another request.
 * @param pending replies of the open transaction that are not stored yet
 */
export function findReply(
  connection: Connection,
  { userId, key, digest }: ReplyKey,
  pending: readonly Reply[] = [],
): Uint8Array | undefined {
  const known = pending.find((reply) => reply.userId === userId && reply.key === key)
  const found: readonly [Uint8Array, Uint8Array] | undefined = known
    ? [known.digest, known.bytes]
    : connection
        .raw<[Buffer, Buffer]>(
          'SELECT request_hash, reply FROM _sheaf_replies WHERE user = ? AND key = ? AND time > ?',
        )
        .get(userId, key, Date.now() - KEPT_MS)
  if (!found) return undefined
  const [hash, reply] = found
  if (Buffer.compare(hash, digest) === 0) return reply
  throw new AppError(
    'mismatch',
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key was already used for a different request',
  )
}

/** Throws `too_large` for a reply of more than 4 MiB. */
export function requireStorable(bytes: Uint8Array): void {
  if (bytes.length > MAX_REPLY_BYTES)
    throw new AppError(
      'too_large',
      'REPLY_TOO_LARGE',
      'the response is too large to be stored for the Idempotency-Key: write fewer records per request',
    )
}

/** Stores the reply of the record at this position, as part of its write. */
export function storeReply(
  connection: Connection,
  { userId, key, digest, seq, bytes }: Reply,
  { lsn, time }: RecordPosition,
): void {
  connection
    .prepare(
      `INSERT OR REPLACE INTO _sheaf_replies (user, key, request_hash, seq, time, reply, lsn, total)
       VALUES (?, ?, ?, ?, ?, ?, ?, ? + ifnull(
         (SELECT total FROM _sheaf_replies ORDER BY rowid DESC LIMIT 1), 0))`,
    )
    .run(userId, key, digest, seq, time, bytes, lsn, bytes.length)
}

/** Position and time of the latest reply; zeros when there is none. */
export function readReplyPosition(connection: Connection): RecordPosition {
  const sql = 'SELECT lsn, time FROM _sheaf_replies ORDER BY rowid DESC LIMIT 1'
  return connection.prepare<RecordPosition>(sql).get() ?? { lsn: 0, time: 0 }
}

/** Replies whose records have greater positions than this, in order, each with its position. */
export function* readReplies(
  connection: Connection,
  after: number,
): Generator<{ readonly reply: Reply } & RecordPosition> {
  const rows = connection.db
    .prepare<[number], Reply & RecordPosition>(
      `SELECT user AS userId, key, request_hash AS digest, seq, time, reply AS bytes, lsn
       FROM _sheaf_replies WHERE lsn > ? ORDER BY rowid`,
    )
    .iterate(after)
  for (const { lsn, time, ...reply } of rows) yield { lsn, time, reply }
}

interface Bounds {
  /** Remove replies up to this row, … */
  readonly row: number
  /** … up to this sum of sizes, … */
  readonly total: number
  /** … or as old as this, in epoch milliseconds. */
  readonly time: number
}

const ENDS = 'SELECT rowid, total, time FROM _sheaf_replies ORDER BY rowid'

function boundsOf(connection: Connection): Bounds | undefined {
  const last = connection.raw<[number, number, number]>(`${ENDS} DESC LIMIT 1`).get()
  if (!last) return undefined
  const [row, total] = last
  return {
    row: row - MAX_REPLIES,
    total: total - MAX_TOTAL_BYTES,
    time: Date.now() - KEPT_MS,
  }
}

/** True when there are replies to remove. The check is cheap. */
export function hasOldReplies(connection: Connection): boolean {
  const bounds = boundsOf(connection)
  if (!bounds) return false
  const [row, total, time] = requireRow(
    connection.raw<[number, number, number]>(`${ENDS} LIMIT 1`).get(),
  )
  return row <= bounds.row || total <= bounds.total || time <= bounds.time
}

/** Removes some of the expired or excess replies; true when there may be more. */
export function removeOldReplies(connection: Connection): boolean {
  const bounds = boundsOf(connection)
  if (!bounds) return false
  // The position of a removed record must not be assigned again.
  const { lsn, time } = readReplyPosition(connection)
  connection
    .prepare('UPDATE _sheaf_state SET lsn = max(lsn, ?), time = max(time, ?) WHERE id = 1')
    .run(lsn, time)
  const { changes } = connection
    .prepare(
      `DELETE FROM _sheaf_replies WHERE rowid IN
         (SELECT rowid FROM _sheaf_replies ORDER BY rowid LIMIT ${STEP})
       AND (rowid <= ? OR total <= ? OR time <= ?)`,
    )
    .run(bounds.row, bounds.total, bounds.time)
  return changes === STEP
}
