/**
 * Maximum length of an identifier; longer ones are cut, because a statement repeats the names of all columns.
 */
const MAX_LENGTH = 500

const PYTHON_KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/**
 * Derives the id of a new or renamed table from the requested name: a valid identifier that begins with an
 * upper-case letter, with a numeric suffix if it is taken. `taken` holds lower-cased ids.
 */
export function tableIdFor(wish: string, taken: ReadonlySet<string>): string {
  const ascii = toAscii(wish)
  if (ascii === '') return firstFree(taken, (n) => `Table${n + 1}`)
  const capital = ascii.charAt(0).toUpperCase() + ascii.slice(1)
  // SQLite reserves names that begin with `sqlite_`.
  const reserved = PYTHON_KEYWORDS.has(capital) || /^\d|^sqlite_/i.test(capital)
  return withoutCollision(reserved ? `T${capital}` : capital, taken)
}

/**
 * Derives the id of a new or renamed column by the same rules, except for the upper-case letter; an empty
 * name yields the next free letter. `taken` holds the lower-cased ids of the table; `id` always counts as
 * taken.
 */
export function columnIdFor(wish: string, taken: ReadonlySet<string>): string {
  const ascii = toAscii(wish)
  if (ascii === '') return firstFree(taken, letters)
  const reserved = PYTHON_KEYWORDS.has(ascii) || /^\d/.test(ascii)
  return withoutCollision(reserved ? `c${ascii}` : ascii, taken, 'id')
}

function toAscii(wish: string): string {
  return wish
    .slice(0, 4 * MAX_LENGTH)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-zA-Z0-9_]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, MAX_LENGTH)
}

function withoutCollision(name: string, taken: ReadonlySet<string>, always = ''): string {
  const isTaken = (id: string): boolean =>
    taken.has(id.toLowerCase()) || id.toLowerCase() === always
  if (!isTaken(name)) return name
  const stem = /\d$/.test(name) ? `${name}_` : name
  let number = 2
  while (isTaken(`${stem}${number}`)) number++
  return `${stem}${number}`
}

/** Returns the first free name of a series; `id` is never free. */
function firstFree(taken: ReadonlySet<string>, nameOf: (index: number) => string): string {
  for (let index = 0; ; index++) {
    const name = nameOf(index)
    if (name !== 'ID' && !taken.has(name.toLowerCase())) return name
  }
}

/** A, B, … Z, AA, AB, … */
function letters(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest > 0 ? letters(rest - 1) : '') + String.fromCharCode(65 + (index % 26))
}
