import { useCallback, useMemo, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useFilter } from '../grid/filter/use-filter'
import { useGridView } from '../grid/view/use-grid-view'
import { GridViewContext } from '../grid/view/view-context'
import { laneColumn } from '../grid/views/board-settings'
import { useTableViews } from '../grid/views/use-table-views'
import { useColumnDialogs } from '../structure/columns/use-column-dialogs'
import { BoardBar } from './board-bar'
import { BoardLanes } from './board-lanes'
import { NoLanes } from './no-lanes'

interface TableBoardProps extends CellContext {
  readonly columns: readonly Column[]
}

/** A table as a board: a lane for each value of a column, with rows as cards. */
export function TableBoard({ columns, ...table }: TableBoardProps): ReactNode {
  const { docId, tableId, canEdit, asOf } = table
  const cells = useMemo(() => ({ docId, tableId, canEdit, asOf }), [docId, tableId, canEdit, asOf])
  const { arranged, viewMenu, chosen, update } = useTableViews(cells, columns)
  const [view, setView] = useGridView()
  const filter = useFilter(cells, columns)
  const groupBy = chosen?.fields.groupBy
  const lanes = useMemo(() => laneColumn(groupBy ?? [], columns), [groupBy, columns])
  const noRows = useCallback(() => [], [])
  const structure = useColumnDialogs(cells, noRows)
  const viewState = useMemo(() => ({ view, setView }), [view, setView])
  const setLanes = (column: Column) => update({ groupBy: [column.id] })
  const bar = (search: ReactNode) => (
    <BoardBar
      columns={columns}
      arranged={arranged}
      lanes={lanes?.column}
      onLanes={canEdit ? setLanes : undefined}
      viewMenu={viewMenu}
      filter={filter}
      search={search}
    />
  )
  return (
    <GridViewContext value={viewState}>
      {lanes ? (
        <BoardLanes
          key={lanes.column.id}
          context={cells}
          columns={columns}
          shown={arranged.shown}
          lanes={lanes}
          bar={bar}
        />
      ) : (
        <div className="with-panel">
          <div className="grid">
            {bar(null)}
            <NoLanes
              columns={columns}
              canEdit={canEdit}
              onSelect={setLanes}
              onAddColumn={structure.add}
            />
          </div>
          {structure.panel}
        </div>
      )}
      {structure.dialog}
    </GridViewContext>
  )
}
