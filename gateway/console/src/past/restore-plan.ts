import type { Table } from '../api/resources'
import { docOf, type AnyDoc } from '../api/sheaf'
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

/** The write that restores a target, given the present state of the document. */
export interface RestorePlan {
  /** Makes the write, or in a dry run tries it. Refused with 412 if the document has changed since the ETag. */
  readonly write: (doc: Pick<AnyDoc, 'apply' | 'restore'>, ifMatch: string) => Promise<unknown>
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
  const tableId = scope.kind === 'table' ? String(scope.table.fields.tableRef) : undefined
  return { write: (doc, ifMatch) => doc.restore(seq, { tableId, ifMatch }), leftOut: [] }
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
  const doc = docOf(docId)
  const then = doc.table(table.id)
  const now = doc.table(present.id)
  const asOf = seq
  // Hidden columns as well, which pages do not show.
  const some = { filter: { id: rowIds }, hidden: true, signal }
  const [tablesThen, columnsThen, rows, columnsNow, rowsNow] = await Promise.all([
    doc.tables({ asOf, signal }),
    then.columns.list({ hidden: true, asOf, signal }),
    then.all({ ...some, asOf }),
    now.columns.list({ hidden: true, signal }),
    now.all({ ...some, fields: [] }),
  ])
  const { columns, leftOut } = restorableColumns(
    { tables: tablesThen, columns: columnsThen },
    { tables, columns: columnsNow },
  )
  const presentIds = new Set(rowsNow.map(({ id }) => id))
  const actions = restoreActions({ tableId: present.id, rows, presentIds, columns })
  // Text is written as it was stored, also where it can be read as a number or a date.
  return { write: (doc, ifMatch) => doc.apply(actions, { noParse: true, ifMatch }), leftOut }
}
