import type { ColDef } from 'ag-grid-community'
import { useMemo } from 'react'
import type { Row } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import type { TableWrites } from '../../writes/table/table-writes'
import type { TableArrangement } from '../arrangement/use-arrangement'
import type { RangeSelection } from '../ranges/range-selection'
import type { RowStore } from '../rows/row-store'
import { cellColumn } from './cell-column'
import { numberColumn, type PreviewOf } from './number-column'
import { useFrozenCount } from './use-frozen-count'

interface ColumnParts {
  readonly store: RowStore
  readonly writes: TableWrites
  readonly selection: RangeSelection
  readonly openRow: (rowId: number) => void
}

/** The columns of AG Grid: row numbers, and the columns of the table that are shown, as they are arranged. */
export function useColumnDefs(
  context: CellContext,
  { arrangement, shown }: TableArrangement,
  { store, writes, selection, openRow }: ColumnParts,
): ColDef<Row>[] {
  const frozen = useFrozenCount(arrangement, shown)
  return useMemo(() => {
    const preview: PreviewOf = (index) => store.preview(index)
    const stateOf = context.asOf === undefined ? writes.stateOf : () => undefined
    const parts = { preview, stateOf, selection }
    const widths = new Map(arrangement.columns.map(({ id, width }) => [id, width]))
    const frozenAt = (place: number): 'no' | 'yes' | 'last' =>
      place < frozen ? (place === frozen - 1 ? 'last' : 'yes') : 'no'
    const cellColumns = shown.map((column, place) => {
      const arrangedParts = { place, width: widths.get(column.id), frozen: frozenAt(place) }
      return cellColumn(column, context, { ...parts, ...arrangedParts })
    })
    return [numberColumn(preview, store.places.numberOf, openRow), ...cellColumns]
  }, [shown, arrangement.columns, frozen, context, store, writes, selection, openRow])
}
