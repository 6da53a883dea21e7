/** A value of an output row; the representation of bytes depends on the format. */
export type RowValue = null | boolean | number | bigint | string | Buffer | readonly RowValue[]

/** A row: one value per column, in column order. */
export type Row = readonly RowValue[]

/**
 * Kinds of columns and the values that they hold besides null:
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

/** A column of the output. */
export interface WrittenColumn {
  readonly name: string
  /** Used by Arrow only; inferred from all values if any column has no kind. */
  readonly kind?: ColumnKind
  /** IANA name of the display time zone of a `timestamp`; UTC if absent. */
  readonly zone?: string
}

/** Encodes a stream of rows in one format. */
export interface RowWriter {
  /** Returns the next bytes; none while the writer needs more rows. Does not retain the rows. */
  write(rows: readonly Row[]): Buffer[]
  /** Yields the remaining bytes lazily. Must be called once, at the end. */
  finish(): Iterable<Buffer>
}
