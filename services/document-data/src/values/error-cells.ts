import { quoteId } from '../quoting/quote'
import { cellJsonSql, type Cell, type ColumnType, type StoredValue } from './column-type'
import { TAG } from './tagged-text'

/*
 * Errors of formulas are stored as tagged text, `["E", class name, message]`, in columns of every type. Cells of formulas
 * that are not computed yet, or whose formula was stopped, are not stored as such: reads put them in place of what is
 * stored.
 */

/** The limit that a formula exceeded. */
export type StopReason = 'time' | 'memory'

/** Every stored error begins with this. */
const ERROR_START = `${TAG}["E"`
const PENDING = `${TAG}["P"]`
/** The class name that cells of a stopped formula show. */
const STOPPED = 'FormulaStopped'

const stopMessages: Readonly<Record<StopReason, string>> = {
  time: 'the formula exceeded the time limit; change it, or recalculate the column',
  memory: 'the formula exceeded the memory limit; change it, or recalculate the column',
}

/** True for a stored error, and for what reads put in place of a pending cell. */
export function isStoredError(value: unknown): value is string {
  return typeof value === 'string' && (value.startsWith(ERROR_START) || value === PENDING)
}

/** Class name and message of a stored error. The message is for editors of formulas only. */
export function readStoredError(stored: string): {
  readonly name: string
  readonly message: string
} {
  const [, name, message] = JSON.parse(stored.slice(1)) as unknown[]
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : '',
  }
}

/** The cell of a stored error, or of a pending cell. */
export function errorFromStored(stored: string): Cell {
  return stored === PENDING ? ['P'] : ['E', readStoredError(stored).name]
}

/** SQL condition: the expression is a stored error. Its constants are evaluated once in a statement. */
export function isErrorSql(column: string): string {
  return `${column}>=char(1)||'["E"' AND ${column}<char(1)||'["F'`
}

/** SQL value of the class name of a stored error. */
export function errorNameSql(column: string): string {
  return `json_extract(substr(${column},2),'$[1]')`
}

const wrapped = new WeakMap<ColumnType, ColumnType>()

/** The rules of a type for a column that may hold errors and cells that are not computed yet. */
export function withErrors(type: ColumnType): ColumnType {
  const known = wrapped.get(type)
  if (known) return known
  const made: ColumnType = {
    ...type,
    fromStored: (value: StoredValue) =>
      isStoredError(value) ? errorFromStored(value) : type.fromStored(value),
    jsonSql: (column) => cellSql(column, 'NULL', type.jsonSql(column)),
    typedJsonSql: (column) => errorCellSql(column, cellJsonSql(type, column, true)),
    errorJsonSql: (column) => errorCellSql(column, type.jsonSql(column)),
  }
  wrapped.set(type, made)
  return made
}

function errorCellSql(column: string, value: string): string {
  return cellSql(column, `json_array('E',${errorNameSql(column)})`, value)
}

function cellSql(column: string, error: string, value: string): string {
  return `CASE WHEN ${isErrorSql(column)} THEN ${error} WHEN ${column}=char(1)||'["P"]' THEN json('["P"]') ELSE ${value} END`
}

/** What of a column decides how its cells are read. */
export interface ReadColumn {
  readonly id: string
  readonly pendingAfter?: number
  readonly stopped?: StopReason
}

/**
 * SQL of the stored values of a column as sorts, filters, look-ups and downloads see them: null where they are not
 * computed yet, an error when the formula was stopped. `prefix` precedes names of columns (`t.` or empty).
 */
export function columnSql(column: ReadColumn, prefix = ''): string {
  return overlaidSql(column, prefix, 'NULL')
}

/** Like `columnSql`, with a pending cell as `["P"]`, for `jsonSql` of a column with errors. */
export function cellsSql(column: ReadColumn, prefix = ''): string {
  return overlaidSql(column, prefix, `char(1)||'["P"]'`)
}

function overlaidSql({ id, pendingAfter, stopped }: ReadColumn, prefix: string, pending: string) {
  const name = prefix + quoteId(id)
  if (stopped) return `(char(1)||${quoteJson(['E', STOPPED, stopMessages[stopped]])})`
  if (pendingAfter === undefined) return name
  return `iif(${prefix}"id"<=${pendingAfter},${name},${pending})`
}

function quoteJson(value: unknown): string {
  return `'${JSON.stringify(value).replace(/'/g, "''")}'`
}
