import type { GridApi, RowSelectionOptions } from 'ag-grid-community'
import { AgGridReact } from 'ag-grid-react'
import { useMemo, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import { cellColumn, numberColumn } from './cell-column'
import { registerModules } from './grid-modules'
import type { Row } from './row'
import { BLOCK_ROWS } from './row-blocks'
import type { GridRef, GridRows } from './use-grid-rows'
import type { RowActions } from './use-row-actions'
import 'ag-grid-community/styles/ag-grid.css'

registerModules()

interface GridBodyProps {
  readonly name: string
  readonly columns: readonly Column[]
  readonly canEdit: boolean
  readonly rows: GridRows
  readonly actions: RowActions
  readonly onSelect: () => void
  readonly grid: GridRef
}

const ROW_PIXELS = 34
const HEAD_PIXELS = 48
/** Rows that are shown empty until it is known how many there are. */
const ROWS_AT_FIRST = 40
/** Blocks that the grid keeps; others it asks for again. */
const MOST_BLOCKS = 24
/** The rows before and after those in view that are there already. */
const BUFFER = 20

const selection: RowSelectionOptions<Row> = {
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
  headerClass: 'number-head',
} as const
const rowClasses = { 'row-waiting': ({ data }: { data?: Row }) => data === undefined }

/** The rows and columns themselves. */
export function GridBody(props: GridBodyProps): ReactNode {
  const { name, columns, canEdit, rows, actions, onSelect, grid } = props
  const { onClear, onEdit, onCopy, onPaste } = actions
  const columnDefs = useMemo(
    () => [numberColumn, ...columns.map((column) => cellColumn(column, canEdit, onClear))],
    [columns, canEdit, onClear],
  )
  return (
    <div
      className="ag-theme-sheaf grid-body"
      onCopy={onCopy}
      onPaste={canEdit ? onPaste : undefined}
    >
      <AgGridReact<Row>
        theme="legacy"
        rowModelType="infinite"
        datasource={rows.datasource}
        columnDefs={columnDefs}
        defaultColDef={defaultColumn}
        selectionColumnDef={selectionColumn}
        rowSelection={canEdit ? selection : undefined}
        getRowId={({ data }) => String(data.id)}
        rowClassRules={rowClasses}
        rowHeight={ROW_PIXELS}
        headerHeight={HEAD_PIXELS}
        rowBuffer={BUFFER}
        cacheBlockSize={BLOCK_ROWS}
        maxBlocksInCache={MOST_BLOCKS}
        maxConcurrentDatasourceRequests={MOST_BLOCKS * 4}
        infiniteInitialRowCount={ROWS_AT_FIRST}
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
          grid.current = api
          api.setGridAriaProperty('label', `Rows of ${name}`)
        }}
        onGridPreDestroyed={() => {
          grid.current = null
        }}
        onViewportChanged={({ firstRow, lastRow }) => rows.store.look(firstRow, lastRow)}
        onCellEditRequest={onEdit}
        onSelectionChanged={onSelect}
      />
    </div>
  )
}

const defaultColumn = {
  sortable: false,
  resizable: true,
  enableCellChangeFlash: true,
}
