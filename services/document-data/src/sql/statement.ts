import { shorten } from '@sheaf/kit/truncate-text'

/** A value for a positional parameter. */
export type SqlArg = string | number | bigint | null

/** Thrown for a statement that cannot be run, worded like SQLite's own errors. */
export class StatementError extends Error {}

/** True when the text contains the keyword that every accepted statement contains. */
export function mentionsSelect(sql: string): boolean {
  return /select/i.test(sql)
}

/** What SQLite skips between words; `\s` also matches what it takes for letters. */
const BLANK = String.raw`[ \t\n\f\r]`
/** A name, also in quotes. */
const NAME = String.raw`(?:[A-Za-z_]\w{0,63}|"[^"\0]{1,64}")`
const NAMES = String.raw`${NAME}(?:${BLANK}*,${BLANK}*${NAME})*`
const COLUMNS = String.raw`${BLANK}*select${BLANK}+(?:\*|${NAMES})`
const WHERE_ID = String.raw`${BLANK}+where${BLANK}+(?:id|"id")${BLANK}*=${BLANK}*`
const ROW_LOOKUP = new RegExp(
  String.raw`^(${COLUMNS}${BLANK}+from${BLANK}+${NAME}${WHERE_ID})(?:(\d{1,15})|\?)${BLANK}*(?:;${BLANK}*)?$`,
  'i',
)
/** Longest statement that is tried as a lookup: naming all columns of a wide table. */
const MAX_LOOKUP_LENGTH = 4_000

/**
 * Reads a statement that can only be one of the form `SELECT <columns> FROM <table> WHERE id = <id>`: it has no
 * expressions, functions, joins or subqueries. Returns it with a parameter for the id, and the arguments; undefined for
 * any other statement.
 */
export function readRowLookup(
  sql: string,
  args: readonly SqlArg[],
): { readonly sql: string; readonly args: readonly SqlArg[] } | undefined {
  if (sql.length > MAX_LOOKUP_LENGTH) return undefined
  const [, start, id] = ROW_LOOKUP.exec(sql) ?? []
  if (start === undefined) return undefined
  if (id === undefined) return { sql: `${start}?`, args }
  return args.length === 0 ? { sql: `${start}?`, args: [BigInt(id)] } : undefined
}

/** The text without an optional trailing semicolon. */
export function withoutSemicolon(sql: string): string {
  return sql.replace(/;\s*$/, '')
}

/**
 * Wraps a statement in another one that returns its rows. Only a single SELECT fits into it. Duplicate column
 * names get a suffix; a trailing comment does no harm.
 */
export function wrap(sql: string): string {
  return `SELECT * FROM (\n${sql}\n)`
}

/**
 * Matches the parts of SQL that cannot contain parameters, and the parameters. A doubled quote can be treated
 * as two adjacent literals.
 */
const TOKEN =
  /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[A-Za-z_0-9\x80-\uffff][\w$\x80-\uffff]*|\?(\d*)|([:@$][\w$\x80-\uffff]+)/g

/** Names of the parameters of a statement, each at the index of its number minus one; undefined when unnamed. */
export type ParameterNames = readonly (string | undefined)[]

/** Returns the names of the parameters of a statement. */
export function listParameters(sql: string): ParameterNames {
  const names: (string | undefined)[] = []
  for (const [token, digits, name] of sql.matchAll(TOKEN)) {
    if (digits === '') names.push(undefined)
    else if (digits !== undefined) nameAt(names, Number(digits), token)
    else if (name !== undefined && !names.includes(name)) names.push(name)
  }
  return names
}

/** SQLite's own limit; it rejects greater numbers itself. */
const MOST_PARAMETERS = 32_766

function nameAt(names: (string | undefined)[], number: number, name: string): void {
  if (number < 1 || number > MOST_PARAMETERS) return
  while (names.length < number) names.push(undefined)
  names[number - 1] ??= name
}

/**
 * Values for a statement in the form that the driver expects: those of unnamed parameters in order, and one
 * object for the named ones. Missing values are null. Throws StatementError when there are more values than
 * parameters.
 */
export function bindArgs(names: ParameterNames, args: readonly SqlArg[]): unknown[] {
  if (args.length > names.length) throw new StatementError('column index out of range')
  const unnamed: SqlArg[] = []
  const named = new Map<string, { readonly name: string; readonly value: SqlArg }>()
  for (const [index, name] of names.entries()) {
    const value = args[index] ?? null
    if (name === undefined) {
      unnamed.push(value)
      continue
    }
    // The driver expects parameter names without the first character.
    const key = name.slice(1)
    const other = named.get(key)
    if (other && other.name !== name)
      throw new StatementError(
        `parameters ${shorten(other.name)} and ${shorten(name)} are ambiguous`,
      )
    named.set(key, { name, value })
  }
  if (named.size === 0) return unnamed
  return [...unnamed, Object.fromEntries([...named].map(([key, { value }]) => [key, value]))]
}
