import { quoteText } from '../quoting/quote'

/** Maximum number of cached specifications; a table has at most 2,000 columns. */
const MAX_SPECS = 5_000

/**
 * Creates an SQL function for cells that plain SQL cannot format. Its second argument is a JSON specification
 * of the column, which is parsed once per column.
 */
export function withSpec<S, V, R>(
  write: (value: V, spec: S) => R,
): (value: unknown, json: unknown) => R {
  const specs = new Map<unknown, S>()
  return (value, json) => {
    const spec = specs.get(json) ?? (JSON.parse(String(json)) as S)
    if (specs.size >= MAX_SPECS) specs.clear()
    specs.set(json, spec)
    return write(value as V, spec)
  }
}

/** The specification as an SQL literal. JSON text contains no NUL, so it can always be quoted. */
export function specSql(spec: object): string {
  return quoteText(JSON.stringify(spec))
}

/**
 * Maximum number of columns per statement. With about a thousand, SQLite was observed to mix up the constants
 * of its expressions.
 */
const MAX_AT_ONCE = 200
/**
 * Maximum number of arguments of one concat. SQLite limits function arguments, and the depth of expressions,
 * to 1,000.
 */
const MAX_IN_CONCAT = 400

/**
 * SQL that concatenates texts, treating null as empty; split into as many expressions as the number of
 * columns requires.
 */
export function concatSqls(columns: readonly (readonly string[])[]): string[] {
  const pieces: string[] = []
  for (let start = 0; start < columns.length; start += MAX_AT_ONCE)
    pieces.push(concatSql(columns.slice(start, start + MAX_AT_ONCE).flat()))
  return pieces
}

function concatSql(parts: readonly string[]): string {
  const pieces: string[] = []
  for (let start = 0; start < parts.length; start += MAX_IN_CONCAT)
    pieces.push(`concat(${parts.slice(start, start + MAX_IN_CONCAT).join(',')})`)
  return pieces.length > 1 ? `concat(${pieces.join(',')})` : (pieces[0] ?? "''")
}
