import type { ColumnKind, Row, RowValue } from './row-writer'

/** Whether a bigint can be converted to a number without loss. */
const MAX_SAFE = 2n ** 53n

/** Kinds of values seen in a column. */
interface Seen {
  bool: boolean
  /** Whole numbers. */
  whole: boolean
  /** Whole numbers that require `int64`. */
  large: boolean
  /** Numbers that require `float64`. */
  fraction: boolean
  text: boolean
  bytes: boolean
  /** Values that only text can represent. */
  other: boolean
}

/**
 * Infers the kinds of columns from their values. Columns of whole numbers are `int64`, other numeric columns
 * `float64`; a column without values is `null`, and one whose values have no common kind is `text`.
 */
export class KindFinder {
  private readonly seen: Seen[]

  constructor(columns: number) {
    this.seen = Array.from({ length: columns }, () => ({
      bool: false,
      whole: false,
      large: false,
      fraction: false,
      text: false,
      bytes: false,
      other: false,
    }))
  }

  see(rows: readonly Row[]): void {
    for (const row of rows) for (const [i, seen] of this.seen.entries()) note(seen, row[i] ?? null)
  }

  /** Returns the kinds of the columns, based on all rows added. */
  kinds(): ColumnKind[] {
    return this.seen.map(kindOf)
  }
}

function note(seen: Seen, value: RowValue): void {
  switch (typeof value) {
    case 'string':
      seen.text = true
      break
    case 'number':
      if (Number.isSafeInteger(value)) seen.whole = true
      else seen.fraction = true
      break
    case 'bigint':
      seen.whole = true
      if (value > MAX_SAFE || value < -MAX_SAFE) seen.large = true
      if (BigInt.asIntN(64, value) !== value) seen.other = true
      break
    case 'boolean':
      seen.bool = true
      break
    default:
      if (value === null) return
      if (Buffer.isBuffer(value)) seen.bytes = true
      else seen.other = true
  }
}

function kindOf({ bool, whole, large, fraction, text, bytes, other }: Seen): ColumnKind {
  const isNumber = whole || fraction
  const kinds = [bool, isNumber, text, bytes, other].filter(Boolean).length
  if (kinds === 0) return 'null'
  if (kinds > 1 || other || text) return 'text'
  if (bool) return 'bool'
  if (bytes) return 'bytes'
  if (!fraction) return 'int64'
  return large ? 'text' : 'float64'
}
