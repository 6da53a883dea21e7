import type { HistoryChange, RowOperation, SchemaOperation } from '@sheaf/client'

type Operation = RowOperation | SchemaOperation

const verbs = {
  addRows: 'added',
  updateRows: 'changed',
  removeRows: 'removed',
  addTable: 'added',
  updateTable: 'changed',
  removeTable: 'removed',
  addColumn: 'added',
  updateColumn: 'changed',
  removeColumn: 'removed',
} as const

/** Describes a change on one line: seq, time, author, cause, and what it did. */
export function changeLine(change: HistoryChange): string {
  const { seq, time, user, cause, truncated, operations } = change
  const author = user ? (user.email ?? user.name ?? 'deleted user') : 'Sheaf'
  const what = truncated ? 'a large change' : summarize(operations)
  return [String(seq), time, author, cause, what].join('  ')
}

/** What the operations did, the rows of a table together. */
function summarize(operations: readonly Operation[]): string {
  const parts = new Map<string, number>()
  for (const operation of operations) {
    const part = describe(operation)
    parts.set(part, (parts.get(part) ?? 0) + ('rowIds' in operation ? operation.rowIds.length : 0))
  }
  return [...parts]
    .map(([part, rows]) => (rows > 0 ? `${part} ${countRows(rows)}` : part))
    .join(', ')
}

function describe(operation: Operation): string {
  const { action, tableId } = operation
  const verb = verbs[action]
  if ('rowIds' in operation) return `${tableId}: ${verb}`
  return operation.colId === undefined
    ? `table ${tableId} ${verb}`
    : `column ${tableId}.${operation.colId} ${verb}`
}

function countRows(rows: number): string {
  return rows === 1 ? '1 row' : `${rows.toLocaleString('en-US')} rows`
}
