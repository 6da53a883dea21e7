import {
  isOfRows,
  type Change,
  type Conflict,
  type Operation,
  type RowOperation,
  type SchemaOperation,
} from './history-queries'

/** So many things are named that one change did. */
const MAX_PHRASES = 3
const FILES = '_grist_Attachments'

/** Who made a change, for who is signed in with this id. */
export function authorOf({ user }: Change, userId: number | undefined): string {
  if (!user) return 'Sheaf'
  if (user.id === userId) return 'You'
  return user.name ?? 'Somebody whose account is gone'
}

/** What a change did, to be read after who did it. */
export function describeChange({ operations, truncated }: Change): string {
  const phrases = phrasesOf(operations)
  if (phrases.length === 0) return truncated ? 'made a very large change' : 'changed nothing'
  const named = phrases.slice(0, MAX_PHRASES)
  const more = phrases.length - named.length
  if (more > 0) named.push(`${more} more`)
  const last = named.pop()
  const text = named.length === 0 ? last : `${named.join(', ')} and ${last}`
  return truncated ? `${text}, and more` : String(text)
}

/** What operations did, with those taken together that did the same to the same table. */
function phrasesOf(operations: readonly Operation[]): string[] {
  const whole = new Set(
    operations.flatMap(({ action, tableRef }) =>
      action === 'addTable' || action === 'removeTable' ? [tableRef] : [],
    ),
  )
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const { action, tableId, tableRef } = operation
    // Columns and rows come and go with their table.
    if (whole.has(tableRef) && !action.endsWith('Table')) continue
    const key = `${action} ${tableRef} ${tableId}`
    const group = groups.get(key)
    if (group) group.push(operation)
    else groups.set(key, [operation])
  }
  return [...groups.values()].map((group) => describeGroup(group, operations))
}

function describeGroup(group: readonly Operation[], all: readonly Operation[]): string {
  const [first] = group
  if (!first) return ''
  if (isOfRows(first)) return describeRows(first, idsOf(group))
  const { action, tableId, tableRef } = first
  if (action.endsWith('Column')) return describeColumns(first, group.length)
  const ids = idsOf(all.filter((operation) => operation.tableRef === tableRef))
  const rows = ids.length === 0 ? '' : ` with ${nameRows(ids)}`
  if (action === 'addTable') return `added the table ${tableId}${rows}`
  if (action === 'removeTable') return `deleted the table ${tableId}${rows}`
  const name = renamed(first, 'tableId')
  return name === undefined
    ? `changed the table ${tableId}`
    : `renamed the table ${tableId} to ${name}`
}

/** The rows that operations are about, each once. */
const idsOf = (operations: readonly Operation[]) => [
  ...new Set(operations.flatMap((operation) => (isOfRows(operation) ? operation.rowIds : []))),
]

const nameRows = (ids: readonly number[]) =>
  ids.length === 1 ? `row ${ids[0]}` : `${ids.length.toLocaleString()} rows`

function describeRows({ action, tableId }: RowOperation, ids: readonly number[]): string {
  if (tableId === FILES) return describeFiles(action, ids.length)
  if (action === 'addRows') return `added ${nameRows(ids)} to ${tableId}`
  if (action === 'removeRows') return `deleted ${nameRows(ids)} of ${tableId}`
  return `changed ${nameRows(ids)} of ${tableId}`
}

function describeFiles(action: RowOperation['action'], count: number): string {
  const files = count === 1 ? 'a file' : `${count.toLocaleString()} files`
  if (action === 'addRows') return `attached ${files}`
  return action === 'removeRows' ? `deleted ${files}` : `noted whether ${files} are in use`
}

function describeColumns(first: SchemaOperation, count: number): string {
  const { action, tableId, colId } = first
  const columns = count === 1 ? `the column ${colId}` : `${count.toLocaleString()} columns`
  if (action === 'addColumn') return `added ${columns} to ${tableId}`
  if (action === 'removeColumn') return `deleted ${columns} of ${tableId}`
  const name = count === 1 ? renamed(first, 'colId') : undefined
  return name === undefined
    ? `changed ${columns} of ${tableId}`
    : `renamed the column ${colId} of ${tableId} to ${name}`
}

/** The name that something has afterwards, when it had another one before. */
function renamed({ old, new: after }: SchemaOperation, key: string): string | undefined {
  const name = after?.[key]
  return typeof name === 'string' && name !== old?.[key] ? name : undefined
}

/** What stood in the way of an undo, as it is named. */
export function describeConflict({ tableId, colId }: Conflict): string {
  return colId === undefined ? `the table ${tableId}` : `the column ${colId} of ${tableId}`
}
