import type {
  ColumnMovedEvent,
  ColumnResizedEvent,
  GridApi,
  RowSelectionOptions,
} from 'ag-grid-community'
import { AgGridReact } from 'ag-grid-react'
import { useMemo, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import type { Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { withOrder, withWidth, type RowHeight } from './arrangement/arrangement'
import type { TableArrangement } from './arrangement/use-arrangement'
import { cellColumn, numberColumn, type PreviewOf } from './columns/cell-column'
import { useFrozenCount } from './columns/use-frozen-count'
import { registerModules } from './grid-modules'
import { BLOCK_ROWS } from './rows/row-blocks'
import type { GridRef, GridRows } from './use-grid-rows'
import type { CellEditing } from './use-cell-editing'
import type { Ranges } from './use-ranges'
import 'ag-grid-community/styles/ag-grid.css'

registerModules()

interface GridBodyProps {
  readonly context: CellContext
  readonly arranged: TableArrangement
  /** True if rows can be selected. */
  readonly canSelect: boolean
  readonly rows: GridRows
  readonly editing: CellEditing
  readonly ranges: Ranges
  readonly onSelect: () => void
  readonly onFocus: () => void
  /** Adds a row; undefined for those who may not. */
  readonly onAddRow?: () => void
  readonly grid: GridRef
  readonly body: RefObject<HTMLDivElement | null>
}

/** Heights of rows: one, two and four lines of text. */
const rowPixels: Readonly<Record<RowHeight, number>> = { short: 34, medium: 52, tall: 92 }
const HEADER_PIXELS = 36
/** Empty rows shown until the row count is known. */
const INITIAL_ROWS = 40
/** Blocks cached by AG Grid. Others are requested from the row store again. */
const MAX_BLOCKS = 24
/** Rows rendered before and after the viewport. */
const BUFFER = 8

const rowSelection: RowSelectionOptions<Row> = {
  mode: 'multiRow',
  checkboxes: ({ data }) => data !== undefined,
  headerCheckbox: false,
  enableClickSelection: false,
}
const selectionColumn = {
  pinned: 'left',
  lockPosition: true,
  resizable: false,
  width: 40,
  headerName: 'Select',
  headerClass: 'select-head',
} as const

interface RowClassParams {
  readonly data?: Row
  readonly rowIndex: number
}

/** The AG Grid with its rows and columns. */
export function GridBody(props: GridBodyProps): ReactNode {
  const { context, arranged, canSelect, rows, editing, ranges, onSelect, onFocus } = props
  const { grid: gridRef, body, onAddRow } = props
  const { selecting } = ranges
  const { selection } = selecting
  const { store, writes } = rows
  const { arrangement, shown, change } = arranged
  const frozen = useFrozenCount(arrangement, shown)
  const columnDefs = useMemo(() => {
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
    return [numberColumn(preview), ...cellColumns]
  }, [shown, arrangement.columns, frozen, context, store, writes, selection])
  const rowClasses = useMemo(
    () => ({
      'row-waiting': ({ data, rowIndex }: RowClassParams) => !data && !store.preview(rowIndex),
      'row-preview': ({ data, rowIndex }: RowClassParams) =>
        !data && store.preview(rowIndex) !== undefined,
    }),
    [store],
  )
  return (
    <div
      ref={body}
      className={bodyClass(context, arranged)}
      onPointerDownCapture={ranges.onPointerDown}
      onMouseDownCapture={selecting.onMouseDown}
      onKeyDownCapture={(event) => {
        ranges.onKeyDown(event)
        if (!event.isPropagationStopped()) handleKey(event, gridRef, onAddRow)
      }}
      onCopy={ranges.onCopy}
      onCut={ranges.onCut}
      onPaste={ranges.onPaste}
    >
      <AgGridReact<Row>
        theme="legacy"
        rowModelType="infinite"
        datasource={rows.datasource}
        columnDefs={columnDefs}
        defaultColDef={defaultColumn}
        selectionColumnDef={selectionColumn}
        rowSelection={canSelect ? rowSelection : undefined}
        getRowId={({ data }) => String(data.id)}
        rowClassRules={rowClasses}
        rowHeight={rowPixels[arrangement.rowHeight]}
        headerHeight={HEADER_PIXELS}
        rowBuffer={BUFFER}
        cacheBlockSize={BLOCK_ROWS}
        maxBlocksInCache={MAX_BLOCKS}
        maxConcurrentDatasourceRequests={MAX_BLOCKS * 4}
        infiniteInitialRowCount={INITIAL_ROWS}
        animateRows={false}
        suppressNoRowsOverlay
        suppressColumnMoveAnimation
        suppressDragLeaveHidesColumns
        suppressContextMenu
        enableBrowserTooltips
        readOnlyEdit
        stopEditingWhenCellsLoseFocus
        enterNavigatesVerticallyAfterEdit
        cellFlashDuration={900}
        onGridReady={({ api }: { api: GridApi<Row> }) => {
          gridRef.current = api
          api.setGridAriaProperty('label', `Rows of ${context.tableId}`)
          api.setGridAriaProperty('description', 'Press Escape to leave the grid.')
        }}
        onGridPreDestroyed={() => {
          gridRef.current = null
        }}
        onColumnMoved={(event: ColumnMovedEvent<Row>) => keepOrder(event, change)}
        onColumnResized={(event: ColumnResizedEvent<Row>) => keepWidths(event, change)}
        onViewportChanged={({ firstRow, lastRow }) => store.setViewport(firstRow, lastRow)}
        onCellEditingStarted={editing.onOpen}
        onCellEditRequest={editing.onEdit}
        onCellEditingStopped={editing.onClose}
        onSelectionChanged={onSelect}
        onCellFocused={() => {
          selecting.onFocus()
          onFocus()
        }}
      />
    </div>
  )
}

function bodyClass({ canEdit }: CellContext, { arrangement }: TableArrangement): string {
  const { rowHeight, wrapText } = arrangement
  const fill = canEdit ? 'can-fill' : ''
  return `ag-theme-sheaf grid-body rows-${rowHeight} ${wrapText ? 'wraps-text' : ''} ${fill}`
}

/** Keeps the order of columns after the user has moved one, by the pointer or by Shift and an arrow key. */
function keepOrder(
  { finished, source, api }: ColumnMovedEvent<Row>,
  change: TableArrangement['change'],
): void {
  if (!finished || source !== 'uiColumnMoved') return
  const moved = api.getAllDisplayedColumns().map((column) => column.getColId())
  change((all) => {
    const known = new Set(all.columns.map(({ id }) => id))
    return withOrder(
      all,
      moved.filter((id) => known.has(id)),
    )
  })
}

/** Sources of a width that somebody has chosen; others follow from the definitions of columns. */
const chosenWidths: ReadonlySet<string> = new Set(['uiColumnResized', 'autosizeColumns', 'api'])

/** Keeps widths after the user has changed them, by the pointer, by Alt and an arrow key, or to fit the contents. */
function keepWidths(
  { finished, source, columns }: ColumnResizedEvent<Row>,
  change: TableArrangement['change'],
): void {
  if (!finished || !columns || !chosenWidths.has(source)) return
  change((all) =>
    columns.reduce((to, column) => withWidth(to, column.getColId(), column.getActualWidth()), all),
  )
}

/** Escape leaves the grid for its footer, since Tab moves from cell to cell. Shift+Enter adds a row. */
function handleKey(
  event: KeyboardEvent<HTMLElement>,
  { current: api }: GridRef,
  onAddRow: (() => void) | undefined,
): void {
  if (!api || api.getEditingCells().length > 0) return
  if (event.key === 'Escape')
    event.currentTarget.closest('.grid')?.querySelector<HTMLElement>('.grid-foot')?.focus()
  if (event.key !== 'Enter' || !event.shiftKey || !onAddRow) return
  // The grid would move up.
  event.preventDefault()
  event.stopPropagation()
  onAddRow()
}

const defaultColumn = {
  sortable: false,
  resizable: true,
}
