/** A value in a row that is written out; bytes are shown in the way of each form. */
export type RowValue = null | boolean | number | bigint | string | Buffer | readonly RowValue[]

/** A row: one value for each column, in their order. */
export type Row = readonly RowValue[]

/**
 * What all values of a column are, nulls aside:
 *
 * | kind                     | values                                             |
 * |--------------------------|----------------------------------------------------|
 * | `null`                   | none                                               |
 * | `bool`                   | booleans                                           |
 * | `int32`                  | whole numbers of 32 bits                           |
 * | `int64`                  | whole numbers of 64 bits, as number or bigint      |
 * | `float64`                | numbers; bigint within ±2^53                       |
 * | `date`                   | whole numbers of days since 1970-01-01             |
 * | `timestamp`              | microseconds since 1970 in UTC, as bigint          |
 * | `text`                   | strings; other values are written as CSV does      |
 * | `json`                   | strings that are JSON                              |
 * | `bytes`                  | buffers                                            |
 * | `textList`, `int64List`  | lists of strings, of whole numbers                 |
 */
export type ColumnKind =
  | 'null'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'date'
  | 'timestamp'
  | 'text'
  | 'json'
  | 'bytes'
  | 'textList'
  | 'int64List'

/** A column of what is written. */
export interface WrittenColumn {
  readonly name: string
  /** Only Arrow makes use of it; found out from all values when one of the columns has none. */
  readonly kind?: ColumnKind
  /** IANA name of the zone in which clients are to show a `timestamp`; UTC when absent. */
  readonly zone?: string
}

/** Turns rows, as they come, into the bytes of one form. */
export interface RowWriter {
  /** Bytes to send after those before; none while the writer has to wait for more rows. The rows are not kept. */
  write(rows: readonly Row[]): Buffer[]
  /** The rest of the bytes, in pieces that are made when they are asked for. To be called once, at the end. */
  finish(): Iterable<Buffer>
}
