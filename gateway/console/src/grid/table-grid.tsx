import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { columnName } from '../formats/column'
import type { Column } from '../api/resources'
import type { MenuItem } from '../components/menu'
import { useColumnDialogs } from '../structure/use-column-dialogs'
import { ColumnMenu } from './columns/column-menu'
import { FilterDialog } from './view/filter-dialog'
import { GridBar } from './view/grid-bar'
import { GridBody } from './grid-body'
import { GridFooter } from './grid-footer'
import { GridMessage, GridNotice, RowButtons } from './grid-notice'
import { sortOf, withFilter, withSort } from './view/grid-view'
import { useTableRows } from './use-table-rows'
import { GridViewContext, type GridViewState } from './view/view-context'

interface TableGridProps {
  readonly docId: string
  readonly tableId: string
  readonly columns: readonly Column[]
  readonly canEdit: boolean
}

interface OpenMenu {
  readonly column: Column
  readonly head: HTMLElement
}

/** The rows of a table: sorted and filtered by the server, edited cell by cell, brought up to date as others change them. */
export function TableGrid({ docId, tableId, columns, canEdit }: TableGridProps): ReactNode {
  const { view, setView, grid, rows, actions, rowCommands } = useTableRows(
    { docId, tableId },
    columns,
  )
  const [menu, setMenu] = useState<OpenMenu>()
  const [filtered, setFiltered] = useState<Column>()
  const structure = useColumnDialogs(docId, tableId)
  const cells = useMemo(() => ({ docId, tableId, canEdit }), [docId, tableId, canEdit])
  const closeMenu = useCallback(() => setMenu(undefined), [])
  const place = useMemo<GridViewState>(
    () => ({ view, setView, openMenu: (column, head) => setMenu({ column, head }) }),
    [view, setView],
  )
  const isFiltered = Object.keys(view.filter).length > 0
  return (
    <GridViewContext value={place}>
      <div className="grid">
        <GridBar columns={columns} onFilter={setFiltered}>
          {canEdit && <RowButtons rows={rowCommands} onAddColumn={structure.add} />}
        </GridBar>
        <div className="grid-middle">
          <GridBody
            place={cells}
            columns={columns}
            rows={rows}
            actions={actions}
            onSelect={rowCommands.onSelect}
            grid={grid}
          />
          <GridMessage
            store={rows.store}
            hasColumns={columns.length > 0}
            isFiltered={isFiltered}
            canEdit={canEdit}
            onClearFilters={() => setView({ ...view, filter: {} })}
          />
          <GridNotice problem={actions.problem} onDismiss={actions.dismiss} />
        </div>
        <GridFooter
          store={rows.store}
          selected={rowCommands.selected.length}
          isFiltered={isFiltered}
        />
        {menu && (
          <ColumnMenu
            label={`Menu of ${columnName(menu.column)}`}
            head={menu.head}
            items={[
              ...menuItems(menu.column, place, setFiltered),
              ...(canEdit ? structure.items(menu.column) : []),
            ]}
            onClose={closeMenu}
          />
        )}
        {structure.dialog}
        {filtered && (
          <FilterDialog
            column={filtered}
            asked={view.filter[filtered.id]}
            onAsk={(asked) => setView(withFilter(view, filtered.id, asked))}
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
  const isAmong = view.sort.length > (isSorted ? 1 : 0)
  const items: MenuItem[] = [
    { label: 'Sort up', onSelect: () => setView(withSort(view, id, 'up')) },
    { label: 'Sort down', onSelect: () => setView(withSort(view, id, 'down')) },
  ]
  if (isAmong && !isSorted)
    items.push(
      { label: 'Then sort by this, up', onSelect: () => setView(withSort(view, id, 'up', true)) },
      {
        label: 'Then sort by this, down',
        onSelect: () => setView(withSort(view, id, 'down', true)),
      },
    )
  if (isSorted)
    items.push({
      label: 'Do not sort by this',
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
