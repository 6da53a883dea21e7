import { quoteText } from '../quoting/quote'

/** Specifications kept parsed; a table has at most 2,000 columns. */
const MAX_SPECS = 5_000

/**
 * Makes a function that SQL calls for cells which it cannot write by itself: its second argument says, as JSON, what column
 * the cell is of. The JSON is parsed once for each column.
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

/** The specification as an SQL literal. Text of JSON holds no NUL, so every one can be written. */
export function specSql(spec: object): string {
  return quoteText(JSON.stringify(spec))
}

/** Columns that one statement writes: with about a thousand, SQLite was seen to mix up the constants of its expressions. */
const MAX_AT_ONCE = 200
/** Arguments of one concat at most; a function of SQLite takes 1,000, and no expression may be deeper. */
const MAX_IN_CONCAT = 400

/** SQL of texts side by side, where null is nothing; in as many pieces, one after the other, as are needed for so many. */
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
