import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { MenuItem } from '../../components/overlays/menu-items'
import { columnName } from '../../formats/column'
import { arrangementItems } from '../arrangement/column-items'
import type { TableArrangement } from '../arrangement/use-arrangement'
import { ColumnMenu } from '../columns/column-menu'
import type { GridRef } from '../live-rows/use-grid-rows'
import { directionsOf, valuesKind } from '../filter/conditions'
import { namesColumn, withoutColumn } from '../filter/filter-tree'
import type { FilterRequest } from '../filter/use-filter-draft'
import { summaryItems } from '../grouping/summary-items'
import { groupOf, MAX_GROUPS, sortOf, withGroup, withSort } from '../view/grid-view'
import { useGridViewContext, type GridViewState } from '../view/view-context'

/** The column whose menu is open, and its header. */
export interface OpenMenu {
  readonly column: Column
  readonly header: HTMLElement
  /** True for the menu with the summaries of the column. */
  readonly isSummary?: boolean
}

/** What the menu of a column needs. */
export interface HeaderMenuProps {
  readonly menu: OpenMenu
  readonly arranged: TableArrangement
  readonly grid: GridRef
  /** Items that change the column itself. */
  readonly columnItems: readonly MenuItem[]
  readonly onFilter: (request: FilterRequest) => void
  /** Opens the menu with the summaries. */
  readonly onSummary: (menu: OpenMenu) => void
  readonly onClose: () => void
}

/** The menu of a column: sorts and filters, how it is arranged, and what changes it. */
export function HeaderMenu(props: HeaderMenuProps): ReactNode {
  const { menu, arranged, grid, columnItems, onFilter, onSummary, onClose } = props
  const { column, header } = menu
  const viewState = useGridViewContext()
  if (menu.isSummary)
    return (
      <ColumnMenu
        key="summary"
        label={`Summary: ${columnName(column)}`}
        header={header}
        items={summaryItems(column, arranged)}
        onClose={onClose}
      />
    )
  return (
    <ColumnMenu
      label={`Column menu: ${columnName(column)}`}
      header={header}
      items={[
        ...viewItems(column, viewState, onFilter),
        { label: 'Summary…', onSelect: () => onSummary({ ...menu, isSummary: true }) },
        ...arrangementItems(column, arranged, grid),
        ...columnItems,
      ]}
      onClose={onClose}
    />
  )
}

function viewItems(
  column: Column,
  { view, setView }: GridViewState,
  onFilter: (request: FilterRequest) => void,
): MenuItem[] {
  const { id } = column
  const [upwards, downwards] = directionsOf(column)
  const isSorted = sortOf(view, id) !== undefined
  const hasOthers = view.sort.length > (isSorted ? 1 : 0)
  const items: MenuItem[] = [
    { label: `Sort ${upwards}`, onSelect: () => setView(withSort(view, id, 'ascending')) },
    { label: `Sort ${downwards}`, onSelect: () => setView(withSort(view, id, 'descending')) },
  ]
  if (hasOthers && !isSorted)
    items.push(
      {
        label: `Then by this, ${upwards}`,
        onSelect: () => setView(withSort(view, id, 'ascending', true)),
      },
      {
        label: `Then by this, ${downwards}`,
        onSelect: () => setView(withSort(view, id, 'descending', true)),
      },
    )
  if (isSorted)
    items.push({
      label: 'Remove sort',
      onSelect: () => setView(withSort(view, id, 'none', true)),
    })
  items.push({ label: 'Filter by this column…', onSelect: () => onFilter({ column }) })
  if (valuesKind(column))
    items.push({
      label: 'Filter by values…',
      onSelect: () => onFilter({ column, byValues: true }),
    })
  const isGrouped = groupOf(view, id) !== undefined
  if (isGrouped || (view.groups?.length ?? 0) < MAX_GROUPS)
    items.push({
      label: isGrouped ? 'Do not group by this column' : 'Group by this column',
      onSelect: () => setView(withGroup(view, id, !isGrouped)),
    })
  if (namesColumn(view.filter, id))
    items.push({
      label: 'Remove filter',
      onSelect: () => setView({ ...view, filter: withoutColumn(view.filter, id) }),
    })
  return items
}
