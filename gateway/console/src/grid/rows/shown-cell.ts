import type { PlacedChange } from '../../writes/table/cells-api'
import type { TableWrites } from '../../writes/table/table-writes'
import type { RowStore } from './row-store'

/** A cell as it is shown now. */
interface ShownCell {
  readonly value: unknown
  /** The stored value; undefined while one that was entered here is being stored: the write knows what it replaces. */
  readonly before: PlacedChange['before']
}

/** Returns a cell as it is shown now; with the value `known` if its row is not loaded. */
export function readShownCell(
  { store, writes }: { readonly store: RowStore; readonly writes: TableWrites },
  rowId: number,
  colId: string,
  known: unknown,
): ShownCell {
  const row = store.find(rowId)
  const fields = row && writes.show(row).fields
  const value = fields && colId in fields ? fields[colId] : known
  const isStored = writes.stateOf(rowId, colId) === undefined
  return { value, before: isStored ? { [colId]: value } : undefined }
}
