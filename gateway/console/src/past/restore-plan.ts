import { call } from '../api/client'
import { docPath, tablePath, type Column, type Row, type Table } from '../api/resources'
import { restorableColumns, restoreActions } from './restore-rows'

/** What is restored: the document, a table or rows of a table. Tables are as of the moment. */
export type RestoreScope =
  { readonly kind: 'document' } | { readonly kind: 'table'; readonly table: Table } | RowScope

interface RowScope {
  readonly kind: 'rows'
  readonly table: Table
  readonly rowIds: readonly number[]
}

/** What is restored, and to which moment. */
export interface RestoreTarget {
  readonly docId: string
  /** The seq of the moment. */
  readonly seq: number
  readonly scope: RestoreScope
}

/** The request that restores a target, given the present state of the document. */
export interface RestorePlan {
  readonly path: string
  readonly query?: { readonly noparse: true }
  readonly body: unknown
  /** Names of columns whose cells are not restored. */
  readonly leftOut: readonly string[]
}

/** Plans a restore. `tables` are those of the present. */
export async function planRestore(
  target: RestoreTarget,
  tables: readonly Table[],
  signal: AbortSignal,
): Promise<RestorePlan> {
  const { docId, seq, scope } = target
  if (scope.kind === 'rows') return planRows({ docId, seq, scope }, tables, signal)
  const body = {
    asOf: seq,
    ...(scope.kind === 'table' && { tableId: String(scope.table.fields.tableRef) }),
  }
  return { path: `${docPath(docId)}/restore`, body, leftOut: [] }
}

/** Rows are not restored by undoing changes, but by writing their former cells. */
async function planRows(
  { docId, seq, scope }: RestoreTarget & { readonly scope: RowScope },
  tables: readonly Table[],
  signal: AbortSignal,
): Promise<RestorePlan> {
  const { table, rowIds } = scope
  const present = tables.find(({ fields }) => fields.tableRef === table.fields.tableRef)
  if (!present) throw new Error(`Table ${table.id} has been deleted. Restore the table instead.`)
  const then = { docId, tableId: table.id, asOf: seq, signal }
  const now = { docId, tableId: present.id, signal }
  const [tablesThen, columnsThen, rows, columnsNow, rowsNow] = await Promise.all([
    readTables(then),
    readColumns(then),
    readRows(then, { ids: rowIds }),
    readColumns(now),
    readRows(now, { ids: rowIds, fields: [] }),
  ])
  const { columns, leftOut } = restorableColumns(
    { tables: tablesThen, columns: columnsThen },
    { tables, columns: columnsNow },
  )
  const presentIds = new Set(rowsNow.map(({ id }) => id))
  return {
    path: `${docPath(docId)}/apply`,
    // Text is written as it was stored, also where it can be read as a number or a date.
    query: { noparse: true },
    body: restoreActions({ tableId: present.id, rows, presentIds, columns }),
    leftOut,
  }
}

/** A table to read, with the hidden columns that pages do not show. */
interface ReadTable {
  readonly docId: string
  readonly tableId: string
  /** The seq of the moment; undefined for the present. */
  readonly asOf?: number
  readonly signal: AbortSignal
}

async function readTables({ docId, asOf, signal }: ReadTable): Promise<readonly Table[]> {
  const path = `${docPath(docId)}/tables`
  return (await call<{ tables: Table[] }>('GET', path, { query: { asOf }, signal })).tables
}

async function readColumns(table: ReadTable): Promise<readonly Column[]> {
  const { docId, tableId, asOf, signal } = table
  const path = `${tablePath(docId, tableId)}/columns`
  const query = { hidden: true, asOf }
  return (await call<{ columns: Column[] }>('GET', path, { query, signal })).columns
}

interface WantedRows {
  readonly ids: readonly number[]
  /** Ids of the columns to read; undefined for all. */
  readonly fields?: readonly string[]
}

async function readRows(table: ReadTable, { ids, fields }: WantedRows): Promise<readonly Row[]> {
  const { docId, tableId, asOf, signal } = table
  const path = `${tablePath(docId, tableId)}/records/list`
  const body = { filter: { id: ids }, hidden: true, fields }
  return (await call<{ records: Row[] }>('POST', path, { query: { asOf }, body, signal })).records
}
