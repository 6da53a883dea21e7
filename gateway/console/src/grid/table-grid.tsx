import type { GridApi } from 'ag-grid-community'
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { MenuItem } from '../components/menu'
import { ColumnMenu } from './column-menu'
import { FilterDialog } from './filter-dialog'
import { GridBar } from './grid-bar'
import { GridBody } from './grid-body'
import { GridFoot } from './grid-foot'
import { GridMessage, GridNotice, RowButtons } from './grid-notice'
import { sortOf, withFilter, withSort } from './grid-view'
import type { Row } from './row'
import { useGridRows } from './use-grid-rows'
import { useGridView } from './use-grid-view'
import { useRowActions } from './use-row-actions'
import { useRowSet } from './use-row-set'
import { ViewContext, type ViewPlace } from './view-context'

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
  const [view, setView] = useGridView()
  const grid = useRef<GridApi<Row>>(null)
  const rows = useGridRows({ docId, tableId }, view, grid)
  const actions = useRowActions(rows, columns, grid)
  const rowSet = useRowSet(rows, { view, columns }, grid)
  const [menu, setMenu] = useState<OpenMenu>()
  const [filtered, setFiltered] = useState<Column>()
  const closeMenu = useCallback(() => setMenu(undefined), [])
  const place = useMemo<ViewPlace>(
    () => ({ view, setView, openMenu: (column, head) => setMenu({ column, head }) }),
    [view, setView],
  )
  const isFiltered = Object.keys(view.filter).length > 0
  return (
    <ViewContext value={place}>
      <div className="grid">
        <GridBar columns={columns} onFilter={setFiltered}>
          {canEdit && <RowButtons rows={rowSet} />}
        </GridBar>
        <div className="grid-middle">
          <GridBody
            name={tableId}
            columns={columns}
            canEdit={canEdit}
            rows={rows}
            actions={actions}
            onSelect={rowSet.onSelect}
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
        <GridFoot store={rows.store} selected={rowSet.selected.length} isFiltered={isFiltered} />
        {menu && (
          <ColumnMenu
            label={`Menu of ${menu.column.fields.label || menu.column.id}`}
            head={menu.head}
            items={menuItems(menu.column, place, setFiltered)}
            onClose={closeMenu}
          />
        )}
        {filtered && (
          <FilterDialog
            column={filtered}
            asked={view.filter[filtered.id]}
            onAsk={(asked) => setView(withFilter(view, filtered.id, asked))}
            onClose={() => setFiltered(undefined)}
          />
        )}
      </div>
    </ViewContext>
  )
}

function menuItems(
  column: Column,
  { view, setView }: ViewPlace,
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
