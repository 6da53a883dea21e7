import { AppError } from '@sheaf/kit/errors'
import { tableIdFor } from '../../identifiers'
import type { DocumentWriter } from '../document'
import type { Schema, Table } from '../schema/schema'
import { applyChanges, followRenames } from './column-changes'
import { findFormulaRenames, type FormulaRename } from './formula-renames'
import { storeTableForm, type TableForm } from './stored-tables'

/** The metadata to change; absent ones are unchanged. */
export interface TableChange {
  /** Requested new id. */
  readonly tableId?: string | undefined
  readonly onDemand?: boolean | undefined
}

/**
 * Renames tables and changes their metadata; columns that refer to a renamed table, and formulas, follow. Throws `not_found`
 * for an unknown table.
 */
export function updateTables(
  doc: DocumentWriter,
  updates: readonly { readonly id: string; readonly change: TableChange }[],
): void {
  const found = updates.map(({ id, change }) => ({ ref: doc.schema.getWritable(id).ref, change }))
  for (const { ref, change } of found) updateTable(doc, ref, change)
}

function updateTable(doc: DocumentWriter, ref: number, change: TableChange): void {
  const table = doc.schema.findByRef(ref)
  if (!table) throw new AppError('not_found', 'TABLE_NOT_FOUND', `Table not found "${ref}"`)
  changeTable(doc, table, {
    tableId: change.tableId === undefined ? table.tableId : nextId(doc, table, change.tableId),
    onDemand: change.onDemand ?? table.onDemand,
  })
}

/**
 * Sets exactly these metadata for a table; the id must be free.
 * @param isFollowed whether columns that refer to the table, and formulas, follow
 */
export function changeTable(
  doc: DocumentWriter,
  table: Table,
  after: TableForm,
  isFollowed = true,
): void {
  const { ref } = table
  const before = { tableId: table.tableId, onDemand: table.onDemand }
  const renames = after.tableId !== before.tableId
  if (!renames && after.onDemand === before.onDemand) return
  const followers =
    renames && isFollowed ? findFollowers(doc.schema, before.tableId, after.tableId) : []
  storeTableForm(doc, table, after)
  doc.record({
    kind: 'update_table',
    table: before.tableId,
    tableRef: ref,
    column: '',
    columnRef: 0,
    old: before,
    new: after,
  })
  doc.schemaChanged()
  if (renames && isFollowed) followRename(doc, before.tableId, after.tableId)
  followRenames(doc, followers)
}

function findFollowers(schema: Schema, from: string, to: string): FormulaRename[] {
  const renames = { tables: new Map([[from, to]]), columns: new Map() }
  return findFormulaRenames(schema, renames, new Set())
}

function nextId(doc: DocumentWriter, { tableId }: Table, wish: string): string {
  if (wish === tableId) return tableId
  const taken = new Set(doc.schema.tables.map((table) => table.tableId.toLowerCase()))
  taken.delete(tableId.toLowerCase())
  return tableIdFor(wish, taken)
}

/** Columns hold the id of the table that they refer to. */
function followRename(doc: DocumentWriter, from: string, to: string): void {
  for (const table of doc.schema.tables) {
    const changes = table.columns
      .filter(({ type }) => isReference(type.name) && type.argument === from)
      .map((column) => ({ column, change: { type: `${column.type.name}:${to}` } }))
    if (changes.length > 0) applyChanges(doc, table, changes)
  }
}

function isReference(typeName: string): boolean {
  return typeName === 'Ref' || typeName === 'RefList'
}
