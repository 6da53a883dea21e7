/**
 * What a cell is on disk, ready to be bound. Whole numbers are bigint, because better-sqlite3 binds a JavaScript
 * number as REAL.
 */
export type StoredValue = string | number | bigint | null

/** A cell as clients write and read it: decoded JSON whose arrays begin with a type code. */
export type Cell = null | boolean | number | string | unknown[]

/** What parsing needs to know about the document. */
export interface DocumentSettings {
  /** IANA name of the zone. */
  timezone: string
  /** BCP 47 tag, such as `en-US`. */
  locale: string
}

/** What parsing needs to know about the column. */
export interface ColumnContext {
  settings: DocumentSettings
  /** Parsed widget options of the column; keys that parsing does not know are ignored. */
  widgetOptions: Record<string, unknown>
  /** Row whose visible column shows this text; left out for a column that has no visible column. */
  lookup?(text: string): bigint | undefined
  /** Row of the referenced table that has this text in the named column. */
  lookupIn?(text: string, column: string): bigint | undefined
}

/** How a write treats text. */
export interface StoreOptions {
  /** True to leave out the parsing of text by the settings of the column; conversion to its type always happens. */
  noParse: boolean
}

/** The rules of one column type: how its cells are parsed, stored and written as JSON. */
export interface ColumnType {
  /** Name without argument, such as `DateTime`. */
  readonly name: string
  /** Zone of a DateTime, table of a Ref or RefList. */
  readonly argument?: string
  /**
   * Declared type in CREATE TABLE. Only columns that hold nothing but text have one: numeric affinities would turn
   * kept text such as `3000000000.0` into a number.
   */
  readonly affinity: 'TEXT' | ''
  /** Which order and which filter rules the stored values follow. */
  readonly storage: Storage
  /** Value of a cell that nobody has written. */
  readonly defaultValue: StoredValue
  /**
   * Value to store for a cell. A cell that does not fit the type is kept as text. Throws AppError `invalid`
   * (INVALID_VALUE) for the few cells that cannot be kept without damage.
   */
  toStored(cell: Cell, context: ColumnContext, options: StoreOptions): StoredValue
  /** The cell that a stored value means; lists have the code `L`. */
  fromStored(value: StoredValue): Cell
  /**
   * SQL expression over a quoted column whose value `json_object` and `json_quote` write as the cell. Uses the
   * functions of query/sql-functions.ts.
   */
  jsonSql(column: string): string
  /** The same with a code that tells the type, such as `["d",0]`; as `jsonSql` when absent. */
  typedJsonSql?(column: string): string
}

/** SQL expression of a cell, plain or with codes that tell its type. */
export function cellJsonSql(type: ColumnType, column: string, typed: boolean): string {
  return (typed ? type.typedJsonSql?.(column) : undefined) ?? type.jsonSql(column)
}

/**
 * Kinds of storage: `text` holds text and null, `number` numbers, null and kept text, `list` JSON lists, null and
 * kept text, `any` everything (lists and any use tagged text for what would be ambiguous).
 */
export type Storage = 'text' | 'number' | 'list' | 'any'

/** The usual reading of a number, kept text or null. */
export function plainFromStored(value: StoredValue): Cell {
  return typeof value === 'bigint' ? Number(value) : value
}
