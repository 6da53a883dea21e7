import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { columnName } from '../formats/column'
import type { Column } from '../api/resources'
import type { MenuItem } from '../components/menu'
import { ColumnMenu } from './columns/column-menu'
import { FilterDialog } from './view/filter-dialog'
import { GridBar } from './view/grid-bar'
import { useTableColumns } from './use-table-columns'
import { GridBody } from './grid-body'
import { GridFooter } from './grid-footer'
import { RangeFoot } from './ranges/range-foot'
import { AwayNotice, GridMessage, GridNotice, RowButtons } from './grid-notice'
import { sortOf, withFilter, withSort } from './view/grid-view'
import { useTableRows } from './use-table-rows'
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

interface OpenMenu {
  readonly column: Column
  readonly header: HTMLElement
}

/** The grid of a table. Rows are sorted and filtered by the server, edited cell by cell, and updated live. */
export function TableGrid({ columns, rowActions, ...table }: TableGridProps): ReactNode {
  const { docId, tableId, canEdit, asOf } = table
  const { view, setView, grid, body, rows, editing, ranges, rowCommands } = useTableRows(
    table,
    columns,
  )
  const [menu, setMenu] = useState<OpenMenu>()
  const [filtered, setFiltered] = useState<Column>()
  const cells = useMemo(() => ({ docId, tableId, canEdit, asOf }), [docId, tableId, canEdit, asOf])
  const tableColumns = useTableColumns(cells, { columns, grid, store: rows.store })
  const closeMenu = useCallback(() => setMenu(undefined), [])
  const viewState = useMemo<GridViewState>(
    () => ({ view, setView, openMenu: (column, header) => setMenu({ column, header }) }),
    [view, setView],
  )
  const isFiltered = Object.keys(view.filter).length > 0
  return (
    <GridViewContext value={viewState}>
      <div className="grid">
        <GridBar columns={columns} onFilter={setFiltered}>
          {canEdit && <RowButtons rows={rowCommands} onAddColumn={tableColumns.add} />}
          {rowActions?.(rowCommands.selected)}
        </GridBar>
        {tableColumns.formulaBar}
        <div className="grid-middle">
          <GridBody
            context={cells}
            columns={columns}
            canSelect={canEdit || rowActions !== undefined}
            rows={rows}
            editing={editing}
            ranges={ranges}
            onSelect={rowCommands.onSelect}
            onFocus={tableColumns.onFocus}
            grid={grid}
            body={body}
          />
          <GridMessage
            store={rows.store}
            hasColumns={columns.length > 0}
            isFiltered={isFiltered}
            canEdit={canEdit}
            isPast={asOf !== undefined}
            onClearFilters={() => setView({ ...view, filter: {} })}
          />
          <AwayNotice store={rows.store} />
          <GridNotice problem={editing.problem} onDismiss={() => editing.report()} />
        </div>
        <GridFooter
          store={rows.store}
          selected={rowCommands.selected.length}
          isFiltered={isFiltered}
          isPast={asOf !== undefined}
        >
          <RangeFoot selection={ranges.selecting.selection} read={ranges.read} columns={columns} />
        </GridFooter>
        {menu && (
          <ColumnMenu
            label={`Column menu: ${columnName(menu.column)}`}
            header={menu.header}
            items={[
              ...menuItems(menu.column, viewState, setFiltered),
              ...tableColumns.items(menu.column),
            ]}
            onClose={closeMenu}
          />
        )}
        {tableColumns.dialog}
        {ranges.dialog}
        {filtered && (
          <FilterDialog
            column={filtered}
            filter={view.filter[filtered.id]}
            onFilter={(filter) => setView(withFilter(view, filtered.id, filter))}
            onClose={() => setFiltered(undefined)}
          />
        )}
      </div>
    </GridViewContext>
  )
}

function menuItems(
  column: Column,
  { view, setView }: GridViewState,
  onFilter: (column: Column) => void,
): MenuItem[] {
  const { id } = column
  const isSorted = sortOf(view, id) !== undefined
  const hasOthers = view.sort.length > (isSorted ? 1 : 0)
  const items: MenuItem[] = [
    { label: 'Sort ascending', onSelect: () => setView(withSort(view, id, 'ascending')) },
    { label: 'Sort descending', onSelect: () => setView(withSort(view, id, 'descending')) },
  ]
  if (hasOthers && !isSorted)
    items.push(
      {
        label: 'Then by this, ascending',
        onSelect: () => setView(withSort(view, id, 'ascending', true)),
      },
      {
        label: 'Then by this, descending',
        onSelect: () => setView(withSort(view, id, 'descending', true)),
      },
    )
  if (isSorted)
    items.push({
      label: 'Remove sort',
      onSelect: () => setView(withSort(view, id, 'none', true)),
    })
  items.push({ label: 'Filter…', onSelect: () => onFilter(column) })
  if (id in view.filter)
    items.push({
      label: 'Remove filter',
      onSelect: () => setView(withFilter(view, id, undefined)),
    })
  return items
}
