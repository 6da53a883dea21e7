import { useCallback, useMemo, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import { ArrangementMenus } from './arrangement/arrangement-menus'
import { useFilter } from './filter/use-filter'
import { GroupButton } from './grouping/group-button'
import { GridBar } from './view/grid-bar'
import { useTableColumns } from './use-table-columns'
import { GridContexts, useHeaderMenu } from './header-menu/use-header-menu'
import { GridBody } from './grid-body'
import { GridFooter } from './grid-footer'
import { RangeFoot } from './ranges/range-foot'
import { AwayNotice, GridMessage, GridNotice, RowButtons } from './grid-notice'
import { useTableRows } from './use-table-rows'
import { useTableViews } from './views/use-table-views'
import { GridViewContext, type GridViewState } from './view/view-context'

interface TableGridProps {
  readonly docId: string
  readonly tableId: string
  readonly columns: readonly Column[]
  readonly canEdit: boolean
  /** The seq of the change as of which the table is shown; undefined for the present. */
  readonly asOf?: string
  /** Returns buttons for the rows with the given ids, which are selected. Without it, only editors of cells select rows. */
  readonly rowActions?: (rowIds: readonly number[]) => ReactNode
}

/** The grid of a table. Rows are sorted and filtered by the server, edited cell by cell, and updated live. */
export function TableGrid({ columns, rowActions, ...table }: TableGridProps): ReactNode {
  const { docId, tableId, canEdit, asOf } = table
  const cells = useMemo(() => ({ docId, tableId, canEdit, asOf }), [docId, tableId, canEdit, asOf])
  const { arranged, summaries, viewMenu } = useTableViews(cells, columns)
  const { shown } = arranged
  const found = useTableRows(cells, { columns, shown, summaries })
  const { view, setView, grid, body, rows, search, editing, ranges, rowCommands, opened } = found
  const filter = useFilter(cells, columns)
  const tableColumns = useTableColumns(cells, { columns, grid, store: rows.store })
  const { leave } = tableColumns
  const { open } = opened
  const openRow = useCallback(
    (rowId: number) => {
      leave()
      open(rowId)
    },
    [leave, open],
  )
  const { items } = tableColumns
  const menus = useHeaderMenu({ arranged, grid, items, onFilter: filter.open })
  const viewState = useMemo<GridViewState>(() => ({ view, setView }), [view, setView])
  const isFiltered = Object.keys(view.filter).length > 0
  return (
    <GridViewContext value={viewState}>
      <div className="with-panel">
        <div className="grid">
          <GridBar columns={columns} filters={filter.chips} search={search.field}>
            {viewMenu}
            {canEdit && <RowButtons rows={rowCommands} onAddColumn={tableColumns.add} />}
            {rowActions?.(rowCommands.selected)}
            <ArrangementMenus arranged={arranged} columns={columns} />
            {filter.button}
            <GroupButton columns={columns} grouped={rows.groups.grouped} />
          </GridBar>
          {tableColumns.formulaBar}
          <div className="grid-middle">
            <GridContexts
              cells={cells}
              summaries={summaries}
              groups={rows.groups}
              menus={menus}
              editing={editing}
            >
              <GridBody
                context={cells}
                arranged={arranged}
                canSelect={canEdit || rowActions !== undefined}
                rows={rows}
                editing={editing}
                ranges={ranges}
                hasTotals={summaries.length > 0}
                onSelect={rowCommands.onSelect}
                onFocus={tableColumns.onFocus}
                onAddRow={canEdit ? rowCommands.add : undefined}
                opened={opened}
                onOpenRow={openRow}
                grid={grid}
                body={body}
              />
            </GridContexts>
            <GridMessage
              store={rows.store}
              hasColumns={columns.length > 0}
              isFiltered={isFiltered}
              search={search.text}
              canEdit={canEdit}
              isPast={asOf !== undefined}
              onClearFilters={() => setView({ ...view, filter: {} })}
              onClearSearch={search.clear}
            />
            <AwayNotice store={rows.store} />
            <GridNotice problem={editing.problem} onDismiss={() => editing.report()} />
          </div>
          <GridFooter
            store={rows.store}
            selected={rowCommands.selected.length}
            isFiltered={isFiltered || search.text !== ''}
            isPast={asOf !== undefined}
          >
            <RangeFoot selection={ranges.selecting.selection} read={ranges.read} columns={shown} />
          </GridFooter>
          {menus.menu}
          {ranges.dialog}
        </div>
        {tableColumns.panel ?? opened.panel}
      </div>
      {tableColumns.dialog}
    </GridViewContext>
  )
}
