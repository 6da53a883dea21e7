/**
 * What is known of the value of an expression: a table, a record of one, a set of its records, or what `find` of a sorted
 * set returns. Undefined stands for everything else.
 */
export interface ValueType {
  readonly kind: 'table' | 'record' | 'records' | 'finder'
  readonly tableId: string
}

/** The tables and columns that a formula can name. */
export interface FormulaSchema {
  hasTable(tableId: string): boolean
  /** The type of the cells of a column; undefined for values, and for a column that does not exist. */
  columnType(tableId: string, colId: string): ValueType | undefined
}

/** The type of an attribute of a value. */
export function attributeType(
  { kind, tableId }: ValueType,
  name: string,
  schema: FormulaSchema,
): ValueType | undefined {
  if (kind === 'table') return name === 'all' ? { kind: 'records', tableId } : undefined
  if (kind === 'finder') return undefined
  const type = schema.columnType(tableId, name)
  if (type && kind === 'records') return { ...type, kind: 'records' }
  return type ?? (kind === 'records' && name === 'find' ? { kind: 'finder', tableId } : undefined)
}

const FOUND: ReadonlySet<string> = new Set(['lt', 'le', 'gt', 'ge', 'eq'])

/** The type of what a method of a value returns. */
export function methodType({ kind, tableId }: ValueType, name: string): ValueType | undefined {
  if (kind === 'table' && name === 'lookupRecords') return { kind: 'records', tableId }
  const isOne = kind === 'table' ? name === 'lookupOne' : kind === 'finder' && FOUND.has(name)
  return isOne ? { kind: 'record', tableId } : undefined
}

/** The type of an item of a value, in a loop or by its position. */
export function itemType(type: ValueType | undefined): ValueType | undefined {
  return type?.kind === 'records' || type?.kind === 'record'
    ? { ...type, kind: 'record' }
    : undefined
}
