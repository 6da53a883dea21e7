import type { ColDef } from 'ag-grid-community'
import type { Column, Row } from '../../api/resources'
import { SummaryCell } from './summary-cell'

/** Returns what makes cells in the row of totals have the summary of their column, and be not edited. */
export function withTotals(
  column: Column,
  { editable, cellRendererSelector }: Partial<ColDef<Row>>,
): Partial<ColDef<Row>> {
  return {
    editable: (params) =>
      !params.node.rowPinned &&
      (typeof editable === 'function' ? editable(params) : editable === true),
    cellRendererSelector: (params) =>
      params.node.rowPinned
        ? { component: SummaryCell, params: { shown: column } }
        : cellRendererSelector?.(params),
  }
}
