import { useCallback, useMemo, useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { LateEntryContext } from '../../cells/editing/late-entry'
import type { MenuItem } from '../../components/overlays/menu-items'
import { ColumnMenuContext } from '../columns/column-menu-context'
import { GroupingContext, type Grouping } from '../grouping/grouping-context'
import type { CellEditing } from '../editing/use-cell-editing'
import type { RowGroups } from '../live-rows/use-row-groups'
import { HeaderMenu, type HeaderMenuProps, type OpenMenu } from './header-menu'

/** The menus of the columns of a grid. The functions are the same each time. */
export interface HeaderMenus {
  /** Opens the menu of a column at its header. */
  readonly open: (column: Column, header: HTMLElement) => void
  /** Opens the menu with the summaries of a column at an element. */
  readonly openSummaries: (column: Column, at: HTMLElement) => void
  /** The open menu, if any. */
  readonly menu: ReactNode
}

interface MenuParts extends Pick<HeaderMenuProps, 'arranged' | 'grid' | 'onFilter'> {
  /** Returns the items that change a column itself. */
  readonly items: (column: Column) => readonly MenuItem[]
}

/** Opens the menus of columns. The menu belongs into a GridViewContext. */
export function useHeaderMenu({ items, ...parts }: MenuParts): HeaderMenus {
  const [menu, setMenu] = useState<OpenMenu>()
  const close = useCallback(() => setMenu(undefined), [])
  const open = useCallback((column: Column, header: HTMLElement) => setMenu({ column, header }), [])
  const openSummaries = useCallback(
    (column: Column, header: HTMLElement) => setMenu({ column, header, isSummary: true }),
    [],
  )
  const shown = menu && (
    <HeaderMenu
      {...parts}
      menu={menu}
      columnItems={items(menu.column)}
      onSummary={setMenu}
      onClose={close}
    />
  )
  return { open, openSummaries, menu: shown }
}

interface GridContextsProps extends Pick<Grouping, 'cells' | 'summaries'> {
  readonly groups: RowGroups
  readonly menus: HeaderMenus
  readonly editing: Pick<CellEditing, 'beginLate'>
  readonly children: ReactNode
}

/** What the cells, editors and headers of a grid use: the menus of columns, groups and summaries, and later writes. */
export function GridContexts(props: GridContextsProps): ReactNode {
  const { cells, summaries, groups, menus, editing, children } = props
  const { open, openSummaries } = menus
  const grouping = useMemo<Grouping>(
    () => ({ cells, summaries, openSummaries, ...groups }),
    [cells, summaries, openSummaries, groups],
  )
  return (
    <ColumnMenuContext value={open}>
      <GroupingContext value={grouping}>
        <LateEntryContext value={editing.beginLate}>{children}</LateEntryContext>
      </GroupingContext>
    </ColumnMenuContext>
  )
}
