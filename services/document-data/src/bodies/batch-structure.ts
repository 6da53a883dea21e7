import type { StructureOperation } from '../store/batch/operations'
import { readerOf, tableReaders } from '../store/structure/metadata-fields'
import { readChange, readField, readNewColumn, readNewId, readText } from './structure-action'
import { requireKnown } from './batch-records'
import { invalidPayload, isObject } from './record-columns'

/** Names of the operations on tables and columns. */
export const structureOperations: readonly StructureOperation['op'][] = [
  'addTables',
  'updateTables',
  'removeTables',
  'addColumns',
  'updateColumns',
  'removeColumns',
]

type Fields = Readonly<Record<string, unknown>>

/** Tables or columns of one operation. */
const MAX_ITEMS = 200

/**
 * Reads an operation on tables or columns; undefined when its name is not known. Throws AppError `invalid`
 * (INVALID_PAYLOAD, INVALID_COLUMN, INVALID_VALUE) with the location of the fault.
 */
export function readStructureOperation(
  operation: Fields,
  path: string,
): StructureOperation | undefined {
  const op = structureOperations.find((one) => one === operation.op)
  if (!op) return undefined
  const isOfTables = op.endsWith('Tables')
  requireKnown(operation, isOfTables ? ['op', 'tables'] : ['op', 'table', 'columns'], path)
  const items = readItems(operation, isOfTables ? 'tables' : 'columns', path)
  switch (op) {
    case 'addTables':
      return { op, tables: items.map(readNewTable) }
    case 'updateTables':
      return { op, tables: items.map(readTableUpdate) }
    case 'removeTables':
      return { op, tables: items.map(readId) }
    case 'addColumns': {
      const isComputed = () => true
      const columns = items.map(({ item, at }) => readColumn(item, at, isComputed))
      return { op, table: readText(operation.table, `${path}.table`), columns }
    }
    case 'updateColumns': {
      const columns = items.map(({ item, at }) => {
        requireKnown(item, ['id', 'fields'], at)
        return {
          id: readText(item.id, `${at}.id`),
          change: readChange(item.fields, `${at}.fields`),
        }
      })
      return { op, table: readText(operation.table, `${path}.table`), columns }
    }
    case 'removeColumns':
      return { op, table: readText(operation.table, `${path}.table`), columns: items.map(readId) }
  }
}

interface Item {
  readonly item: Fields
  readonly at: string
}

function readItems(holder: Fields, name: string, path: string): Item[] {
  const { [name]: list } = holder
  if (!Array.isArray(list)) throw invalidPayload(`${path}.${name} is not an array`)
  if (list.length === 0) throw invalidPayload(`${path}.${name} must have at least one item`)
  return list.map((item: unknown, index) => {
    const at = `${path}.${name}[${index}]`
    if (name === 'tables' && index >= MAX_ITEMS)
      throw invalidPayload(`${path}.${name} has more than ${MAX_ITEMS} items`)
    if (!isObject(item)) throw invalidPayload(`${at} is not an object`)
    return { item, at }
  })
}

function readId({ item, at }: Item): string {
  requireKnown(item, ['id'], at)
  return readText(item.id, `${at}.id`)
}

function readNewTable({ item, at }: Item) {
  requireKnown(item, ['id', 'columns'], at)
  const columns = readItems(item, 'columns', at).map((one) =>
    readColumn(one.item, one.at, (formula) => formula !== ''),
  )
  return { id: readNewId(item.id, `${at}.id`), columns }
}

/** @param isComputed whether the column is computed if its fields do not say */
function readColumn(item: Fields, at: string, isComputed: (formula: string) => boolean) {
  requireKnown(item, ['id', 'fields'], at)
  const column = readNewColumn(item, at)
  const { formula = '', isFormula = isComputed(formula) } = column.fields
  return { ...column, fields: { ...column.fields, isFormula } }
}

function readTableUpdate({ item, at }: Item) {
  requireKnown(item, ['id', 'fields'], at)
  const { fields } = item
  if (!isObject(fields)) throw invalidPayload(`${at}.fields is not an object`)
  requireKnown(fields, Object.keys(tableReaders), `${at}.fields`)
  const change: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const read = readerOf(tableReaders, name)
    if (read) change[name] = readField(read, value, `${at}.fields.${name}`)
  }
  return { id: readText(item.id, `${at}.id`), change }
}
