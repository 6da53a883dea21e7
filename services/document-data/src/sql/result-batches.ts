import type { Row, RowValue } from '../formats/row-writer'
import type { ResultLimits } from './sql-messages'

/** Thrown when a result exceeds its size limit. */
export class ResultTooLarge extends Error {
  constructor({ maxRows, maxBytes }: ResultLimits) {
    super(`the result has more than ${maxRows} rows or ${Math.floor(maxBytes / 1024 ** 2)} MiB`)
  }
}

/** Rows are batched up to this many characters … */
const BATCH_LENGTH = 128 * 1024
/** … or this many rows. */
const BATCH_ROWS = 1000

/**
 * The rows in batches of bounded size. Throws ResultTooLarge as soon as the limit on rows or size is certain
 * to be exceeded: a value may be very large, so it is measured before it is serialized.
 */
export function* batchRows(rows: Iterable<Row>, limits: ResultLimits): Generator<readonly Row[]> {
  let batch: Row[] = []
  let length = 0
  let count = 0
  let total = 0
  for (const row of rows) {
    const least = leastLength(row)
    length += least
    total += least
    if (++count > limits.maxRows || total > limits.maxBytes) throw new ResultTooLarge(limits)
    batch.push(row)
    if (length < BATCH_LENGTH && batch.length < BATCH_ROWS) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

/** Minimum size of a row in any format, in bytes. */
function leastLength(row: Row): number {
  let length = 0
  for (const value of row) length += lengthOf(value)
  return length
}

function lengthOf(value: RowValue): number {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 1
}
