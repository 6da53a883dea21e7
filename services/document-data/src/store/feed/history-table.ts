import { ATTACHMENTS } from '../attachments/attachments'
import type { DocumentReader } from '../document'
import { VIEWS, VIEWS_REF } from '../schema/metadata-tables'
import { nextRef } from '../schema/refs'

/**
 * The ref of a table by its id or, even when it no longer exists, by its ref as decimal text; 0 for
 * attachments, -2 for views. Throws like `Schema.get`.
 */
export function historyTable({ schema, connection }: DocumentReader, tableId: string): number {
  if (tableId === ATTACHMENTS) return 0
  if (tableId === VIEWS) return VIEWS_REF
  const table = schema.find(tableId)
  if (table) return table.ref
  const ref = /^\d{1,15}$/.test(tableId) ? Number(tableId) : 0
  return ref > 0 && ref < nextRef(connection, 'table') ? ref : schema.get(tableId).ref
}
