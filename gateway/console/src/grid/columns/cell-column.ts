import type { ColDef, SuppressKeyboardEventParams } from 'ag-grid-community'
import type { Column, Row } from '../../api/resources'
import { isComputed } from '../../formats/column'
import { errorName, isPending } from '../../formats/value'
import type { CellContext } from '../../cells/editing/cell-type'
import { cellTypeOf } from '../../cells/cell-types'
import { MIN_WIDTH } from '../arrangement/arrangement'
import { valueFamily, type Family } from '../filter/conditions'
import type { CellState } from '../../writes/table/writes-state'
import { withTotals } from '../grouping/total-cells'
import { RANGE_CLASS, RANGE_END_CLASS, type RangeSelection } from '../ranges/range-selection'
import { ColumnHeader } from './column-header'
import { FormulaState } from './formula-state'
import type { PreviewOf } from './number-column'

const widths: Readonly<Record<Family, number>> = {
  text: 220,
  number: 140,
  date: 140,
  time: 190,
  bool: 110,
  list: 220,
  any: 200,
}

/** The class of the last column that is frozen. */
const FROZEN_EDGE = 'frozen-edge'

/** Returns the width of a column that has no other, in pixels. */
export const plainWidth = (column: Column): number => widths[valueFamily(column)]

/** What a grid has in place of the stored cells, and what is done with them. */
interface CellParts {
  readonly preview: PreviewOf
  /** Returns the state of a cell whose entered value is not stored. */
  readonly stateOf: (rowId: number, colId: string) => CellState | undefined
  /** The selected range. */
  readonly selection: RangeSelection
  /** Index of the column among those that are shown. */
  readonly place: number
  /** In pixels; undefined for the width of its type. */
  readonly width: number | undefined
  /** Whether the column stays in view when others scroll, and is the last one that does. */
  readonly frozen: 'no' | 'yes' | 'last'
}

/** What is said about a cell whose entered value is not stored. */
export const stateNotes: Readonly<Record<CellState, string | undefined>> = {
  sending: undefined,
  waiting: 'Not saved, trying again',
  disputed: 'Not saved: your decision is needed, at “Decide…”',
}

/** Returns the AG Grid definition of a column. */
export function cellColumn(
  column: Column,
  context: CellContext,
  { preview, stateOf, selection, place, width, frozen }: CellParts,
): ColDef<Row> {
  const { id, fields } = column
  const cells = cellTypeOf(fields.type).column(column, context)
  const own = { ...cells, ...(isComputed(column) && computed(cells.cellClass)) }
  return {
    colId: id,
    headerName: fields.label || id,
    headerComponent: ColumnHeader,
    headerClass: frozen === 'last' ? FROZEN_EDGE : undefined,
    headerComponentParams: { shown: column },
    suppressHeaderKeyboardEvent: ({ event }) => handleHeaderKey(event),
    width: width ?? plainWidth(column),
    minWidth: MIN_WIDTH,
    pinned: frozen === 'no' ? null : 'left',
    // Columns are frozen by their number, which a drag does not change.
    lockPinned: true,
    valueGetter: ({ data, node }) => (data ?? preview(node?.rowIndex ?? 0)?.row)?.fields[id],
    cellClassRules: {
      [RANGE_CLASS]: ({ rowIndex, node }) =>
        !node.rowPinned && selection.has({ row: rowIndex, column: place }),
      [RANGE_END_CLASS]: ({ rowIndex, node }) =>
        !node.rowPinned && selection.endsAt({ row: rowIndex, column: place }),
      [FROZEN_EDGE]: () => frozen === 'last',
      'cell-waiting': ({ data }) => data !== undefined && stateOf(data.id, id) === 'waiting',
      'cell-disputed': ({ data }) => data !== undefined && stateOf(data.id, id) === 'disputed',
    },
    tooltipValueGetter: ({ data }) => data && stateNotes[stateOf(data.id, id) ?? 'sending'],
    ...own,
    ...withTotals(column, own),
    suppressKeyboardEvent: (params) =>
      cells.suppressKeyboardEvent?.(params) === true || isClearing(params),
  }
}

type CellClass = ColDef<Row>['cellClass']

/** The look of computed cells; an error or a pending cell has its own text in place of what the type shows. */
function computed(cellClass: CellClass): Partial<ColDef<Row>> {
  return {
    cellClass: (params) => {
      const { value } = params as { value?: unknown }
      if (errorName(value) !== undefined) return 'cell-start cell-formula cell-error'
      if (isPending(value)) return 'cell-start cell-formula cell-pending'
      const own = typeof cellClass === 'function' ? cellClass(params) : cellClass
      return ['cell-formula', ...[own ?? []].flat()]
    },
    cellRendererSelector: ({ value }) =>
      errorName(value) === undefined && !isPending(value)
        ? undefined
        : { component: FormulaState, params: { value: value as unknown } },
  }
}

/** Keyboard control of column headers: Enter sorts, Alt+Down opens the menu. */
function handleHeaderKey(event: KeyboardEvent): boolean {
  const { key, altKey, shiftKey, ctrlKey, metaKey } = event
  const isMenu =
    (key === 'ArrowDown' && altKey) || key === 'ContextMenu' || (key === 'F10' && shiftKey)
  const isSort = key === 'Enter' && !ctrlKey && !metaKey
  if (!isMenu && !isSort) return false
  const header = (event.target as Element).closest('.ag-header-cell')
  const pressed = header?.querySelector(isMenu ? '.head-menu' : '.head')
  if (!pressed) return false
  event.preventDefault()
  pressed.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey }))
  return true
}

/** Delete and Backspace empty the selected cells, or nothing; they never open an editor. */
const isClearing = ({ event, editing }: SuppressKeyboardEventParams<Row>): boolean =>
  !editing && (event.key === 'Delete' || event.key === 'Backspace')
