import type { BatchOperation } from '@sheaf/client'
import type { Column } from '../../api/resources'
import { docOf, type AnyTables } from '../../api/sheaf'
import { listItems, toList } from '../../formats/value'

/** Cells that are changed with the names of choices at most. */
const MAX_CELLS = 10_000

/**
 * Returns an operation that gives cells the new names of their choices, provided that they have not been changed since; undefined
 * if there are none. Rejects if there are too many.
 */
export async function renameInCells(
  table: { readonly docId: string; readonly tableId: string },
  column: Column,
  names: ReadonlyMap<string, string>,
): Promise<BatchOperation<AnyTables> | undefined> {
  const { docId, tableId } = table
  const { id, fields } = column
  const isList = fields.type === 'ChoiceList'
  const before = [...names.keys()]
  const filter = isList ? { or: before.map((has) => ({ [id]: { has } })) } : { [id]: before }
  const found = await docOf(docId)
    .table(tableId)
    .page({ filter, fields: [id], limit: MAX_CELLS + 1 })
  if (found.records.length > MAX_CELLS)
    throw new Error(
      `More than ${MAX_CELLS.toLocaleString()} cells have choices that were renamed. Add choices with the new names instead.`,
    )
  if (found.records.length === 0) return undefined
  const records = found.records.map((row) => {
    const value = row.fields[id]
    return { id: row.id, fields: { [id]: renamed(value, names) }, expect: { [id]: value } }
  })
  return { op: 'updateRecords', table: tableId, records }
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  const items = listItems(value)
  if (items) return toList([...new Set(items.map((item) => renamed(item, names)))])
  return typeof value === 'string' ? (names.get(value) ?? value) : value
}
