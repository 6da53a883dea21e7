import type { RowOperation, SchemaOperation } from '@sheaf/client'

type Operation = RowOperation | SchemaOperation

/** Longest value that is printed whole. */
const MAX_VALUE = 60

const signs = { add: '+', update: '~', remove: '-' } as const

/** Describes a difference, a line for each table, column or row. */
export function differenceLines(operation: Operation): string[] {
  return 'rowIds' in operation ? rowLines(operation) : [schemaLine(operation)]
}

function signOf({ action }: Operation): string {
  if (action.startsWith('add')) return signs.add
  return action.startsWith('update') ? signs.update : signs.remove
}

function rowLines(operation: RowOperation): string[] {
  const { tableId, rowIds, columns } = operation
  return rowIds.map((rowId, index) => {
    const cells = Object.entries(columns)
      .filter(([colId]) => colId !== 'manualSort')
      .map(([colId, { old, new: after }]) => {
        const values = [old, after].flatMap((list) => (list ? [shorten(list[index])] : []))
        return `${colId} ${values.join(' → ')}`
      })
    const head = `${signOf(operation)} ${tableId} ${rowId}`
    return cells.length > 0 ? `${head}: ${cells.join(', ')}` : head
  })
}

function schemaLine(operation: SchemaOperation): string {
  const { action, tableId, colId, old = {}, new: after = {} } = operation
  const name = colId === undefined ? `table ${tableId}` : `column ${tableId}.${colId}`
  const head = `${signOf(operation)} ${name}`
  if (!action.startsWith('update')) return head
  const fields = Object.entries(after).map(
    ([field, value]) => `${field} ${shorten(old[field])} → ${shorten(value)}`,
  )
  return `${head}: ${fields.join(', ')}`
}

/** A value as JSON, without the end of a long one. */
function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}
