import type { ColumnKind, Row, RowValue } from './row-writer'

/** Whether a bigint is a number without loss. */
const MAX_SAFE = 2n ** 53n

/** What has been seen of a column. */
interface Seen {
  bool: boolean
  /** Whole numbers. */
  whole: boolean
  /** Whole numbers that only `int64` can hold. */
  large: boolean
  /** Numbers that only `float64` can hold. */
  fraction: boolean
  text: boolean
  bytes: boolean
  /** What no kind but text can hold. */
  other: boolean
}

/**
 * Finds kinds for columns of which nothing is known but their values. Columns of whole numbers are `int64`, others of
 * numbers `float64`; a column without values is `null`, and one whose values have no kind in common is `text`.
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

  /** Takes more rows into account. */
  see(rows: readonly Row[]): void {
    for (const row of rows) for (const [i, seen] of this.seen.entries()) note(seen, row[i] ?? null)
  }

  /** The kinds of the columns, by all rows that were seen. */
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
