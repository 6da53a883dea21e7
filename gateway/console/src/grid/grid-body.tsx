import type { ColumnMovedEvent, ColumnResizedEvent, GridApi } from 'ag-grid-community'
import { AgGridReact } from 'ag-grid-react'
import { useMemo, type ReactNode, type RefObject } from 'react'
import type { Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { withOrder, withWidth, type RowHeight } from './arrangement/arrangement'
import type { TableArrangement } from './arrangement/use-arrangement'
import { useColumnDefs } from './columns/use-column-defs'
import { cacheOptions, registerModules } from './grid-modules'
import { lineOptions, rowSelection, totalsRow } from './grouping/line-options'
import { handleRowKey } from './row-keys'
import type { GridRef, GridRows } from './live-rows/use-grid-rows'
import type { CellEditing } from './editing/use-cell-editing'
import { OPENED_CLASS, type GridPanel } from './use-grid-panel'
import type { Ranges } from './use-ranges'

registerModules()

interface GridBodyProps {
  readonly context: CellContext
  readonly arranged: TableArrangement
  /** True if rows can be selected. */
  readonly canSelect: boolean
  readonly rows: GridRows
  readonly editing: CellEditing
  readonly ranges: Ranges
  /** True for a row of totals below the others. */
  readonly hasTotals: boolean
  readonly onSelect: () => void
  readonly onFocus: () => void
  /** Adds a row; undefined for those who may not. */
  readonly onAddRow?: () => void
  /** The row that is open in a panel. */
  readonly opened: GridPanel
  /** Opens a row in a panel. */
  readonly onOpenRow: (rowId: number) => void
  readonly grid: GridRef
  readonly body: RefObject<HTMLDivElement | null>
}

/** Heights of rows: one, two and four lines of text. */
const rowPixels: Readonly<Record<RowHeight, number>> = { short: 34, medium: 52, tall: 92 }
const HEADER_PIXELS = 36
/** Rows rendered before and after the viewport. */
const BUFFER = 8

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
  const { grid: gridRef, body, hasTotals, onAddRow, opened, onOpenRow: openRow } = props
  const { openedId } = opened
  const { selecting } = ranges
  const { selection } = selecting
  const { store, writes } = rows
  const { arrangement, shown, change } = arranged
  const columnDefs = useColumnDefs(context, arranged, { store, writes, selection, openRow })
  const rowClasses = useMemo(
    () => ({
      'row-waiting': ({ data, rowIndex }: RowClassParams) => !data && !store.preview(rowIndex),
      'row-preview': ({ data, rowIndex }: RowClassParams) =>
        !data && store.preview(rowIndex) !== undefined,
      [OPENED_CLASS]: ({ data }: RowClassParams) => data?.id === openedId.current,
    }),
    [store, openedId],
  )
  return (
    <div
      ref={body}
      className={bodyClass(context, arranged)}
      onPointerDownCapture={ranges.onPointerDown}
      onMouseDownCapture={selecting.onMouseDown}
      onKeyDownCapture={(event) => {
        // Enter, Escape and arrows of an input method are no keys of the grid, nor of an editor.
        if (event.nativeEvent.isComposing) return event.stopPropagation()
        ranges.onKeyDown(event)
        if (!event.isPropagationStopped())
          handleRowKey(event, gridRef.current, {
            context,
            columns: shown,
            grouped: rows.groups.grouped,
            openRow,
            addRow: onAddRow,
          })
      }}
      onCopy={ranges.onCopy}
      onCut={ranges.onCut}
      onPaste={ranges.onPaste}
    >
      <AgGridReact<Row>
        theme="legacy"
        rowModelType="infinite"
        datasource={rows.datasource}
        context={rows.focus}
        columnDefs={columnDefs}
        defaultColDef={defaultColumn}
        selectionColumnDef={selectionColumn}
        rowSelection={canSelect ? rowSelection : undefined}
        {...lineOptions}
        pinnedBottomRowData={totalsRow(hasTotals)}
        getRowId={({ data }) => String(data.id)}
        rowClassRules={rowClasses}
        rowHeight={rowPixels[arrangement.rowHeight]}
        headerHeight={HEADER_PIXELS}
        rowBuffer={BUFFER}
        {...cacheOptions}
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
          editing.onRemove()
          gridRef.current = null
        }}
        onColumnMoved={(event: ColumnMovedEvent<Row>) => keepOrder(event, change)}
        onColumnResized={(event: ColumnResizedEvent<Row>) => keepWidths(event, change)}
        onViewportChanged={({ firstRow, lastRow }) => store.setViewport(firstRow, lastRow)}
        onCellEditingStarted={editing.onOpen}
        onCellEditRequest={editing.onEdit}
        onCellEditingStopped={editing.onClose}
        onSelectionChanged={onSelect}
        onModelUpdated={opened.onRows}
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

const defaultColumn = {
  sortable: false,
  resizable: true,
}
