/**
 * The SQLite value of a cell, ready to be bound. Whole numbers are bigint, because better-sqlite3 binds a
 * JavaScript number as REAL.
 */
export type StoredValue = string | number | bigint | null

/** A cell as clients write and read it: decoded JSON in which arrays begin with a type code. */
export type Cell = null | boolean | number | string | unknown[]

/** Document settings that parsing depends on. */
export interface DocumentSettings {
  /** IANA name of the time zone. */
  readonly timezone: string
  /** BCP 47 tag, such as `en-US`. */
  readonly locale: string
}

/** Column settings that parsing depends on. */
export interface ColumnContext {
  settings: DocumentSettings
  /** Parsed widget options of the column; unknown keys are ignored. */
  widgetOptions: Record<string, unknown>
  /** Returns the row whose visible column shows this text; absent for a column without a visible column. */
  lookup?(text: string): bigint | undefined
  /** Returns the row of the referenced table that has this text in the named column. */
  lookupIn?(text: string, column: string): bigint | undefined
}

/** Options of a write. */
export interface StoreOptions {
  /** True to skip the parsing of text by column settings; values are always converted to the column type. */
  noParse: boolean
}

/** The rules of one column type: how its cells are parsed, stored and written as JSON. */
export interface ColumnType {
  /** Name without argument, such as `DateTime`. */
  readonly name: string
  /** Zone of a DateTime, table of a Ref or RefList. */
  readonly argument?: string
  /**
   * Declared type in CREATE TABLE. Only columns that hold nothing but text have one: numeric affinities would
   * turn kept text such as `3000000000.0` into a number.
   */
  readonly affinity: 'TEXT' | ''
  /** Selects the order and filter rules of the stored values. */
  readonly storage: Storage
  /** Value of a cell that was never written. */
  readonly defaultValue: StoredValue
  /**
   * Converts a cell to its stored value. A cell that does not fit the type is kept as text. Throws AppError
   * `invalid` (INVALID_VALUE) for the few cells that cannot be kept without loss.
   */
  toStored(cell: Cell, context: ColumnContext, options: StoreOptions): StoredValue
  /** Converts a stored value to its cell; lists have the code `L`. */
  fromStored(value: StoredValue): Cell
  /**
   * SQL expression over a quoted column whose value `json_object` and `json_quote` write as the cell. Uses
   * the functions of query/sql-functions.ts.
   */
  jsonSql(column: string): string
  /** Like `jsonSql`, with a type code such as `["d",0]`; defaults to `jsonSql`. */
  typedJsonSql?(column: string): string
  /** Like `jsonSql`, with errors of formulas as `["E",name]` instead of null; only for columns that may hold them. */
  errorJsonSql?(column: string): string
}

/** SQL expression of a cell, plain or with type codes. */
export function cellJsonSql(type: ColumnType, column: string, typed: boolean): string {
  return (typed ? type.typedJsonSql?.(column) : undefined) ?? type.jsonSql(column)
}

/**
 * Storage classes: `text` holds text and null; `number` holds numbers, null and kept text; `list` holds JSON
 * lists, null and kept text; `any` holds everything. `list` and `any` use tagged text for values that would
 * be ambiguous.
 */
export type Storage = 'text' | 'number' | 'list' | 'any'

/** Default conversion of a stored number, kept text or null to its cell. */
export function plainFromStored(value: StoredValue): Cell {
  return typeof value === 'bigint' ? Number(value) : value
}
