/** A value for a positional parameter. */
export type SqlArg = string | number | bigint | null

/** A statement that cannot be run, in the words of SQLite's own errors. */
export class StatementError extends Error {}

/** True when the text has the word that every statement here has somewhere. */
export function mentionsSelect(sql: string): boolean {
  return /select/i.test(sql)
}

/** The text without the semicolon that may end it. */
export function withoutSemicolon(sql: string): string {
  return sql.replace(/;\s*$/, '')
}

/**
 * A statement that gives the rows of another one. Only what is a single SELECT fits into it. Names of columns that occur
 * twice get a suffix by it; a comment at the end does no harm.
 */
export function wrap(sql: string): string {
  return `SELECT * FROM (\n${sql}\n)`
}

/** Parts of SQL in which nothing is a parameter, and parameters. A doubled quote is as good as two texts here. */
const TOKEN =
  /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[A-Za-z_0-9\x80-\uffff][\w$\x80-\uffff]*|\?(\d*)|([:@$][\w$\x80-\uffff]+)/g

/** Parameters of a statement: what each is called, by its number less one; undefined for those without a name. */
export function listParameters(sql: string): (string | undefined)[] {
  const names: (string | undefined)[] = []
  for (const [token, digits, name] of sql.matchAll(TOKEN)) {
    if (digits === '') names.push(undefined)
    else if (digits !== undefined) nameAt(names, Number(digits), token)
    else if (name !== undefined && !names.includes(name)) names.push(name)
  }
  return names
}

/** As many as SQLite counts; a greater number is its to refuse. */
const MOST_PARAMETERS = 32_766

function nameAt(names: (string | undefined)[], number: number, name: string): void {
  if (number < 1 || number > MOST_PARAMETERS) return
  while (names.length < number) names.push(undefined)
  names[number - 1] ??= name
}

/**
 * Values for a statement in the form in which the driver takes them: those of parameters without a name in their order,
 * and one object for the others. Missing ones are null. Throws StatementError when there are more than parameters.
 */
export function bindArgs(sql: string, args: readonly SqlArg[]): unknown[] {
  const names = listParameters(sql)
  if (args.length > names.length) throw new StatementError('column index out of range')
  const unnamed: SqlArg[] = []
  const named = new Map<string, { readonly name: string; readonly value: SqlArg }>()
  for (const [index, name] of names.entries()) {
    const value = args[index] ?? null
    if (name === undefined) {
      unnamed.push(value)
      continue
    }
    // The driver knows a parameter by its name without the first character.
    const key = name.slice(1)
    const other = named.get(key)
    if (other && other.name !== name)
      throw new StatementError(`parameters ${other.name} and ${name} are ambiguous`)
    named.set(key, { name, value })
  }
  if (named.size === 0) return unnamed
  return [...unnamed, Object.fromEntries([...named].map(([key, { value }]) => [key, value]))]
}
