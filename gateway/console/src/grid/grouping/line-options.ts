import type { IsFullWidthRowParams, RowSelectionOptions } from 'ag-grid-community'
import type { Row } from '../../api/resources'
import { isGroupRow } from '../groups/group-row'
import { GroupLine } from './group-line'

/** Options of AG Grid for the headers of groups among rows. */
export const lineOptions = {
  isFullWidthRow: ({ rowNode }: IsFullWidthRowParams<Row>): boolean => isGroupRow(rowNode.data),
  fullWidthCellRenderer: GroupLine,
}

/** Rows are selected by their checkboxes; headers of groups and the row of totals have none. */
export const rowSelection: RowSelectionOptions<Row> = {
  mode: 'multiRow',
  checkboxes: ({ data, node }) => data !== undefined && !node.rowPinned,
  isRowSelectable: ({ data }) => !isGroupRow(data),
  headerCheckbox: false,
  enableClickSelection: false,
}
/** The row of totals, which has no values of its own. */
const TOTALS: Row[] = [{ id: 0, fields: {} }]
const NO_TOTALS: Row[] = []

/** Returns the rows below the others: that of totals, or none. */
export const totalsRow = (isShown: boolean): Row[] => (isShown ? TOTALS : NO_TOTALS)
