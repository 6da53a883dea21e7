import type { RowOperation, SchemaOperation } from '@sheaf/client'
import { VIEWS_TABLE } from '../api/resources'
import { isOfRows, type Change, type Conflict, type Operation } from './history-queries'

/** Maximum number of operations named per change. */
const MAX_PHRASES = 3
const FILES = '_grist_Attachments'

/** Returns the author of a change, as shown to the user with this id. */
export function authorOf({ user, cause }: Change, userId: number | undefined): string {
  if (cause === 'form') return 'A form'
  if (!user) return 'Sheaf'
  if (user.id === userId) return 'You'
  return user.name ?? 'Deleted user'
}

type DescribedChange = Pick<Change, 'operations' | 'truncated'> & Partial<Pick<Change, 'cause'>>

/** True for the import that made the document: nothing was there before it, so it cannot be undone. */
export const isWholeImport = ({ operations, truncated, cause }: DescribedChange): boolean =>
  cause === 'import' && operations.length === 0 && truncated === undefined

/** Describes a change as the predicate of a sentence whose subject is the author. */
export function describeChange({ operations, truncated, cause }: DescribedChange): string {
  if (isWholeImport({ operations, truncated, cause })) return 'imported the document'
  return joinPhrases(phrasesOf(operations), truncated)
}

/** What a change did to one table: numbers of rows, and whether the table or its columns changed. */
export interface TableCounts {
  readonly tableId: string
  readonly addedRows: number
  readonly updatedRows: number
  readonly removedRows: number
  readonly structure: boolean
}

/** Describes a change by its counts, as `describeChange`. */
export function describeCounts(tables: readonly TableCounts[], truncated?: true): string {
  return joinPhrases(tables.flatMap(countPhrases), truncated)
}

function countPhrases({ tableId, structure, ...counts }: TableCounts): string[] {
  const of = (count: number, phrase: (rows: string) => string, action: RowOperation['action']) => {
    if (count === 0) return []
    if (tableId === FILES) return [describeFiles(action, count)]
    if (tableId === VIEWS_TABLE) return [describeViews(action, count)]
    return [phrase(count === 1 ? '1 row' : `${count.toLocaleString()} rows`)]
  }
  return [
    ...(structure ? [`changed the structure of ${tableId}`] : []),
    ...of(counts.addedRows, (rows) => `added ${rows} to ${tableId}`, 'addRows'),
    ...of(counts.updatedRows, (rows) => `changed ${rows} in ${tableId}`, 'updateRows'),
    ...of(counts.removedRows, (rows) => `deleted ${rows} from ${tableId}`, 'removeRows'),
  ]
}

function joinPhrases(phrases: readonly string[], truncated?: true): string {
  if (phrases.length === 0) return truncated ? 'made a very large change' : 'changed nothing'
  const named = phrases.slice(0, MAX_PHRASES)
  const more = phrases.length - named.length
  if (more > 0) named.push(`${more} more`)
  const last = named.pop()
  const text = named.length === 0 ? last : `${named.join(', ')} and ${last}`
  return truncated ? `${text}, and more` : String(text)
}

/** Describes operations. Operations of the same kind on the same table are combined. */
function phrasesOf(operations: readonly Operation[]): string[] {
  const whole = new Set(
    operations.flatMap(({ action, tableRef }) =>
      action === 'addTable' || action === 'removeTable' ? [tableRef] : [],
    ),
  )
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const { action, tableId, tableRef } = operation
    // Columns and rows of an added or removed table are implied.
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
  if (action === 'addTable') return `added table ${tableId}${rows}`
  if (action === 'removeTable') return `deleted table ${tableId}${rows}`
  const name = renamed(first, 'tableId')
  return name === undefined ? `changed table ${tableId}` : `renamed table ${tableId} to ${name}`
}

/** Returns the distinct row ids of operations. */
const idsOf = (operations: readonly Operation[]) => [
  ...new Set(operations.flatMap((operation) => (isOfRows(operation) ? operation.rowIds : []))),
]

const nameRows = (ids: readonly number[]) =>
  ids.length === 1 ? `row ${ids[0]}` : `${ids.length.toLocaleString()} rows`

function describeRows({ action, tableId }: RowOperation, ids: readonly number[]): string {
  if (tableId === FILES) return describeFiles(action, ids.length)
  if (tableId === VIEWS_TABLE) return describeViews(action, ids.length)
  if (action === 'addRows') return `added ${nameRows(ids)} to ${tableId}`
  if (action === 'removeRows') return `deleted ${nameRows(ids)} from ${tableId}`
  return `changed ${nameRows(ids)} in ${tableId}`
}

function describeFiles(action: RowOperation['action'], count: number): string {
  const files = count === 1 ? 'a file' : `${count.toLocaleString()} files`
  if (action === 'addRows') return `attached ${files}`
  return action === 'removeRows' ? `deleted ${files}` : `updated the usage of ${files}`
}

function describeViews(action: RowOperation['action'], count: number): string {
  const views = count === 1 ? 'a view' : `${count.toLocaleString()} views`
  if (action === 'addRows') return `added ${views}`
  return action === 'removeRows' ? `deleted ${views}` : `changed ${views}`
}

function describeColumns(first: SchemaOperation, count: number): string {
  const { action, tableId, colId } = first
  const columns = count === 1 ? `column ${colId}` : `${count.toLocaleString()} columns`
  if (action === 'addColumn') return `added ${columns} to ${tableId}`
  if (action === 'removeColumn') return `deleted ${columns} from ${tableId}`
  const name = count === 1 ? renamed(first, 'colId') : undefined
  return name === undefined
    ? `changed ${columns} in ${tableId}`
    : `renamed column ${colId} in ${tableId} to ${name}`
}

/** Returns the new name of something that was renamed. */
function renamed({ old, new: after }: SchemaOperation, key: string): string | undefined {
  const name = after?.[key]
  return typeof name === 'string' && name !== old?.[key] ? name : undefined
}

/** Names the table or column that conflicts with an undo. */
export function describeConflict({ tableId, colId }: Conflict): string {
  return colId === undefined ? `table ${tableId}` : `column ${colId} in ${tableId}`
}
