import type { GridApi, RowSelectionOptions } from 'ag-grid-community'
import { AgGridReact } from 'ag-grid-react'
import { useMemo, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { cellColumn, numberColumn, type PreviewOf } from './columns/cell-column'
import { registerModules } from './grid-modules'
import { BLOCK_ROWS } from './rows/row-blocks'
import type { GridRef, GridRows } from './use-grid-rows'
import type { CellEditing } from './use-cell-editing'
import type { Ranges } from './use-ranges'
import 'ag-grid-community/styles/ag-grid.css'

registerModules()

interface GridBodyProps {
  readonly context: CellContext
  readonly columns: readonly Column[]
  /** True if rows can be selected. */
  readonly canSelect: boolean
  readonly rows: GridRows
  readonly editing: CellEditing
  readonly ranges: Ranges
  readonly onSelect: () => void
  readonly onFocus: () => void
  readonly grid: GridRef
  readonly body: RefObject<HTMLDivElement | null>
}

const ROW_PIXELS = 34
const HEADER_PIXELS = 48
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
  const { context, columns, canSelect, rows, editing, ranges, onSelect, onFocus } = props
  const { grid: gridRef, body } = props
  const { selecting } = ranges
  const { selection } = selecting
  const { store, writes } = rows
  const columnDefs = useMemo(() => {
    const preview: PreviewOf = (index) => store.preview(index)
    const stateOf = context.asOf === undefined ? writes.stateOf : () => undefined
    const parts = { preview, stateOf, selection }
    const cellColumns = columns.map((column, place) =>
      cellColumn(column, context, { ...parts, place }),
    )
    return [numberColumn(preview), ...cellColumns]
  }, [columns, context, store, writes, selection])
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
      className={`ag-theme-sheaf grid-body ${context.canEdit ? 'can-fill' : ''}`}
      onPointerDownCapture={ranges.onPointerDown}
      onMouseDownCapture={selecting.onMouseDown}
      onKeyDownCapture={(event) => {
        ranges.onKeyDown(event)
        if (!event.isPropagationStopped()) leaveByEscape(event, gridRef)
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
        rowHeight={ROW_PIXELS}
        headerHeight={HEADER_PIXELS}
        rowBuffer={BUFFER}
        cacheBlockSize={BLOCK_ROWS}
        maxBlocksInCache={MAX_BLOCKS}
        maxConcurrentDatasourceRequests={MAX_BLOCKS * 4}
        infiniteInitialRowCount={INITIAL_ROWS}
        animateRows={false}
        suppressNoRowsOverlay
        suppressMovableColumns
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

/** Escape leaves the grid, in which Tab goes from cell to cell, for the footer; in an editor it discards what was typed. */
function leaveByEscape(event: KeyboardEvent<HTMLElement>, { current: api }: GridRef): void {
  if (event.key !== 'Escape' || !api || api.getEditingCells().length > 0) return
  event.currentTarget.closest('.grid')?.querySelector<HTMLElement>('.grid-foot')?.focus()
}

const defaultColumn = {
  sortable: false,
  resizable: true,
}
