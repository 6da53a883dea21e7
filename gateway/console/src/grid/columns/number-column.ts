import type { ColDef } from 'ag-grid-community'
import type { Row } from '../../api/resources'
import type { LoadedRow } from '../rows/row-blocks'
import type { RowPlaces } from '../rows/row-places'
import { RowNumber } from './row-number'

/** Returns a row to show in place of one that is not loaded. */
export type PreviewOf = (index: number) => LoadedRow | undefined

/** The id of the column of row numbers. */
export const NUMBER_COLUMN = ' number'

/** The column of row numbers, with buttons that open the rows. */
export const numberColumn = (
  preview: PreviewOf,
  numberOf: RowPlaces['numberOf'],
  onOpen: (rowId: number) => void,
): ColDef<Row> => ({
  colId: NUMBER_COLUMN,
  cellRenderer: RowNumber,
  cellRendererParams: { onOpen },
  headerName: 'Row',
  headerClass: 'number-head',
  cellClass: 'row-number',
  pinned: 'left',
  lockPosition: true,
  resizable: false,
  width: 76,
  editable: false,
  valueGetter({ data, node }) {
    if (node?.rowPinned) return undefined
    const index = node?.rowIndex ?? 0
    return numberOf((data ? undefined : preview(index)?.index) ?? index)
  },
  cellRendererSelector: ({ node }) => (node.rowPinned ? { component: NoCell } : undefined),
  tooltipValueGetter: ({ data, node }) => data && !node?.rowPinned && `Row id ${data.id}`,
})

/** Shows nothing in the row of totals. */
const NoCell = () => null
