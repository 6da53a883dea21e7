/** A column as completions need it. */
export interface NamedColumn {
  readonly id: string
  readonly label: string
  readonly type: string
}

/** A function of formulas. */
export interface FormulaFunction {
  readonly name: string
  /** Name and arguments, such as `IF(logical_expression, value_if_true, value_if_false)`. */
  readonly signature: string
  readonly description: string
}

/** The names that a formula of a table may use. */
export interface FormulaNames {
  readonly tableId: string
  readonly tables: readonly string[]
  readonly functions: readonly FormulaFunction[]
  /** Returns the columns of a table. */
  readonly columnsOf: (tableId: string) => Promise<readonly NamedColumn[]>
}

/** What can be inserted at a place. */
export interface Suggestion {
  /** The name. */
  readonly label: string
  /** Inserted in place of the name that was begun; the name when absent. */
  readonly insert?: string
  readonly kind: 'column' | 'table' | 'function' | 'keyword' | 'method'
  /** Shown beside the name: the type of a column, the arguments of a function. */
  readonly detail?: string
  readonly info?: string
}

/** Suggestions for a place of a formula. */
export interface Suggestions {
  /** Where the name begins that they replace. */
  readonly from: number
  readonly options: readonly Suggestion[]
}

const METHODS: readonly Suggestion[] = [
  { label: 'all', kind: 'method', info: 'all records of the table' },
  {
    label: 'lookupRecords',
    insert: 'lookupRecords(',
    kind: 'method',
    detail: '(Column=value, …)',
    info: 'the records with these values',
  },
  {
    label: 'lookupOne',
    insert: 'lookupOne(',
    kind: 'method',
    detail: '(Column=value, …)',
    info: 'the first record with these values',
  },
]

const LOOKUP_OPTIONS: readonly Suggestion[] = [
  {
    label: 'order_by',
    insert: 'order_by=',
    kind: 'keyword',
    info: 'column to sort by, or several; descending after a minus sign',
  },
]

/** `$A.B.` or `rec.A.B.` and the name that was begun. */
const CHAIN = /(?:(?<![\w$])rec\.|\$)((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)?$/
const METHOD = /(?<![\w$.])([A-Za-z_]\w*)\.([A-Za-z_]\w*)?$/
/** The beginning of an argument of a lookup: no argument before it has parentheses. */
const KEYWORD = /(?<![\w$.])([A-Za-z_]\w*)\.lookup(?:Records|One)\((?:[^()]*,)?\s*([A-Za-z_]\w*)?$/
const NAME = /(?<![\w$.])([A-Za-z_]\w*)$/

/**
 * Returns what can be inserted at the end of `before`, the text of a formula up to the cursor; undefined for nothing.
 * @param isExplicit true when the user has asked for suggestions, so that all names are suggested where none was begun
 */
export async function suggest(
  before: string,
  names: FormulaNames,
  isExplicit: boolean,
): Promise<Suggestions | undefined> {
  if (isInText(before)) return undefined
  const chain = CHAIN.exec(before)
  if (chain) return suggestColumns(before, chain, names)
  const method = METHOD.exec(before)
  if (method) return suggestMethods(before, method, names)
  const keyword = KEYWORD.exec(before)
  const tableId = keyword ? isTable(keyword[1] ?? '', names) : undefined
  if (tableId !== undefined) return suggestKeywords(before, keyword?.[2], { tableId, names })
  const name = NAME.exec(before)
  return name || isExplicit ? suggestions(before, name?.[1], freeNames(names)) : undefined
}

function suggestMethods(
  before: string,
  [, owner = '', begun]: RegExpExecArray,
  names: FormulaNames,
): Suggestions | undefined {
  return isTable(owner, names) ? suggestions(before, begun, METHODS) : undefined
}

async function suggestKeywords(
  before: string,
  begun: string | undefined,
  { tableId, names }: { readonly tableId: string; readonly names: FormulaNames },
): Promise<Suggestions> {
  const keys = [...(await columnNames(tableId, names, '=')), ...LOOKUP_OPTIONS]
  // An argument that was begun may also be a value.
  return suggestions(before, begun, begun === undefined ? keys : [...keys, ...freeNames(names)])
}

const suggestions = (
  before: string,
  begun: string | undefined,
  options: readonly Suggestion[],
): Suggestions => ({ from: before.length - (begun ?? '').length, options })

async function suggestColumns(
  before: string,
  [, path = '', begun]: RegExpExecArray,
  names: FormulaNames,
): Promise<Suggestions | undefined> {
  const tableId = await followReferences(path, names)
  if (tableId === undefined) return undefined
  return suggestions(before, begun, await columnNames(tableId, names))
}

/** Returns the id of a table that a name stands for. */
function isTable(name: string, { tables, tableId }: FormulaNames): string | undefined {
  if (name === 'table') return tableId
  return tables.includes(name) ? name : undefined
}

async function followReferences(path: string, names: FormulaNames): Promise<string | undefined> {
  let { tableId } = names
  for (const colId of path.split('.').slice(0, -1)) {
    const column = (await names.columnsOf(tableId)).find(({ id }) => id === colId)
    const [type = '', target] = column?.type.split(':') ?? []
    if (target === undefined || !['Ref', 'RefList'].includes(type)) return undefined
    tableId = target
  }
  return tableId
}

async function columnNames(
  tableId: string,
  { columnsOf }: FormulaNames,
  after = '',
): Promise<Suggestion[]> {
  return (await columnsOf(tableId)).map(({ id, label, type }) => ({
    label: id,
    ...(after !== '' && { insert: id + after }),
    kind: 'column',
    detail: type,
    ...(label !== '' && label !== id && { info: label }),
  }))
}

function freeNames({ tables, functions }: FormulaNames): Suggestion[] {
  return [
    ...functions.map(({ name, signature, description }): Suggestion => ({
      label: name,
      insert: `${name}(`,
      kind: 'function',
      detail: signature.slice(name.length),
      info: description,
    })),
    ...tables.map((id): Suggestion => ({ label: id, kind: 'table', detail: 'table' })),
    { label: 'rec', kind: 'keyword', info: 'the record of the formula' },
    { label: 'table', kind: 'keyword', info: 'the table of the formula' },
  ]
}

/** True inside a string or a comment of the last line. */
function isInText(before: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1)
  let quote: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line[at]
    if (quote !== undefined) {
      if (char === '\\') at++
      else if (char === quote) quote = undefined
    } else if (char === '#') return true
    else if (char === '"' || char === "'") quote = char
  }
  return quote !== undefined
}
