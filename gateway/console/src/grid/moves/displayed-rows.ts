import type { GridApi } from 'ag-grid-community'
import type { Row } from '../../api/resources'
import { isGroupRow } from '../groups/group-row'

/** What identifies a row of a view wherever it is: its id, or the key of a group, of which the header has another id at each place. */
export type RowKey = number | string

const keyOf = (row: Row): RowKey => (isGroupRow(row) ? row.header.key : row.id)

/** Returns the key of the row that a grid displays at an index; undefined for one that is not loaded. */
export function keyAt(api: GridApi<Row>, index: number): RowKey | undefined {
  const row = index < api.getDisplayedRowCount() && api.getDisplayedRowAtIndex(index)?.data
  return row ? keyOf(row) : undefined
}

/** Returns the indexes of the loaded rows by their keys. */
export function loadedRows(api: GridApi<Row>): Map<RowKey, number> {
  const indexes = new Map<RowKey, number>()
  api.forEachNode(({ data, rowIndex }) => {
    if (data && rowIndex !== null) indexes.set(keyOf(data), rowIndex)
  })
  return indexes
}
