import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { Menu } from '../../components/overlays/menu'
import type { MenuItem } from '../../components/overlays/menu-items'
import { columnName } from '../../formats/column'
import {
  hiddenIds,
  rowHeights,
  withHidden,
  withoutHidden,
  withRowHeight,
  withWrap,
  type RowHeight,
} from './arrangement'
import type { TableArrangement } from './use-arrangement'

const heightNames: Readonly<Record<RowHeight, string>> = {
  short: 'Short rows',
  medium: 'Medium rows',
  tall: 'Tall rows',
}

interface ArrangementMenusProps {
  readonly arranged: TableArrangement
  /** All columns of the table. */
  readonly columns: readonly Column[]
}

/** The menu of the columns that are shown. */
export function ColumnsMenu({ arranged, columns }: ArrangementMenusProps): ReactNode {
  const hidden = hiddenIds(arranged.arrangement).length
  return (
    <Menu label="Shown columns" items={columnItems(arranged, columns)}>
      {hidden > 0 ? `Hidden columns (${hidden})` : 'Columns'}
    </Menu>
  )
}

/** Menus of a table: which columns are shown, and how high rows are. */
export function ArrangementMenus({ arranged, columns }: ArrangementMenusProps): ReactNode {
  if (columns.length === 0) return null
  return (
    <div className="row-buttons">
      <ColumnsMenu arranged={arranged} columns={columns} />
      <Menu label="Height of rows" items={rowItems(arranged)}>
        Rows
      </Menu>
    </div>
  )
}

function columnItems(
  { arrangement, isArranged, change, reset }: TableArrangement,
  columns: readonly Column[],
): MenuItem[] {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const items = arrangement.columns.map(({ id, hidden = false }): MenuItem => {
    const column = byId.get(id)
    return {
      label: column ? columnName(column) : id,
      option: { isOn: !hidden },
      onSelect: () => change((all) => withHidden(all, id, !hidden)),
    }
  })
  if (hiddenIds(arrangement).length > 0)
    items.push({
      label: 'Show all columns',
      startsGroup: true,
      onSelect: () => change(withoutHidden),
    })
  if (isArranged)
    items.push({ label: 'Reset columns and rows', startsGroup: true, onSelect: reset })
  return items
}

function rowItems({ arrangement, change }: TableArrangement): MenuItem[] {
  const heights = rowHeights.map((height): MenuItem => ({
    label: heightNames[height],
    option: { isOn: arrangement.rowHeight === height, isExclusive: true },
    onSelect: () => change((all) => withRowHeight(all, height)),
  }))
  const { wrapText } = arrangement
  const wrap: MenuItem = {
    label: 'Wrap text',
    option: { isOn: wrapText },
    startsGroup: true,
    onSelect: () => change((all) => withWrap(all, !wrapText)),
  }
  return [...heights, wrap]
}
