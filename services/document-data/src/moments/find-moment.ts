import { AppError } from '@sheaf/kit/errors'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { DocumentReader } from '../store/document'
import { readOldestSeq } from '../store/log/log'
import type { Connection } from '../store/sqlite/connections'

/** The moment after an entry of the log. */
export function seqMoment(seq: number): Moment {
  return { moment: { $case: 'seq', value: seq } }
}

/**
 * The position in the log of a moment. Throws `invalid` for one that is not in the log: before its oldest entry, or in the
 * future; the error names the oldest.
 */
export function findMoment(
  { connection, seq: latest }: Pick<DocumentReader, 'connection' | 'seq'>,
  { moment }: Moment,
  now = Date.now(),
): number {
  const oldest = readOldestSeq(connection)
  if (moment?.$case === 'seq') {
    const { value: seq } = moment
    if (!Number.isSafeInteger(seq) || seq < 1)
      throw new AppError('invalid', 'BAD_FIELD', 'as_of.seq must be an integer of at least 1')
    if (seq > latest) throw notThere(connection, oldest, `change ${seq} is in the future`)
    if (seq < oldest) throw notThere(connection, oldest, `change ${seq} is no longer in the log`)
    return seq
  }
  if (moment?.$case !== 'time')
    throw new AppError('invalid', 'BAD_FIELD', 'as_of must have a seq or a time')
  const { value: time } = moment
  if (time > now) throw notThere(connection, oldest, 'the time is in the future')
  const seq = findLast(connection, { oldest, latest, time })
  if (seq === undefined)
    throw notThere(connection, oldest, 'the time is before the oldest change in the log')
  return seq
}

/** The last entry that is not later than a time, by bisection: entries have ascending times. */
function findLast(
  connection: Connection,
  { oldest, latest, time }: { oldest: number; latest: number; time: number },
): number | undefined {
  let [low, high] = [oldest, latest]
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    if (timeOf(connection, middle) <= time) low = middle + 1
    else high = middle - 1
  }
  return high < oldest ? undefined : high
}

/** The first entry that is not earlier than a time, or the seq after the latest entry. */
export function findFirstAt(
  { connection, seq: latest }: Pick<DocumentReader, 'connection' | 'seq'>,
  time: number,
): number {
  const oldest = readOldestSeq(connection)
  return (findLast(connection, { oldest, latest, time: time - 1 }) ?? oldest - 1) + 1
}

function timeOf(connection: Connection, seq: number): number {
  return connection.pluck<number>('SELECT time FROM _sheaf_log WHERE seq = ?').get(seq) ?? 0
}

function notThere(connection: Connection, oldest: number, problem: string): AppError {
  const time = new Date(timeOf(connection, oldest)).toISOString()
  const message = `${problem}: the oldest moment is change ${oldest}, of ${time}`
  return new AppError('invalid', 'MOMENT_NOT_FOUND', message, {
    oldestSeq: String(oldest),
    oldestTime: time,
  })
}
