import type { ReactNode } from 'react'
import type { Column } from '../api/resources'
import { Menu } from '../components/overlays/menu'
import { columnName } from '../formats/column'
import { ColumnsMenu } from '../grid/arrangement/arrangement-menus'
import type { TableArrangement } from '../grid/arrangement/use-arrangement'
import type { GridFilter } from '../grid/filter/use-filter'
import { GridBar } from '../grid/view/grid-bar'
import { makesLanes } from '../grid/views/board-settings'
import { UndoButtons } from '../undo/undo-buttons'

interface BoardBarProps {
  readonly columns: readonly Column[]
  readonly arranged: TableArrangement
  /** The column of the lanes; undefined if there are none. */
  readonly lanes: Column | undefined
  /** Selects the column of the lanes; undefined for those who may not. */
  readonly onLanes: ((column: Column) => void) | undefined
  readonly viewMenu: ReactNode
  readonly filter: GridFilter
  readonly search: ReactNode
}

/** The bar above a board. */
export function BoardBar(props: BoardBarProps): ReactNode {
  const { columns, arranged, lanes, onLanes, viewMenu, filter, search } = props
  const items = columns.filter(makesLanes).map((column) => ({
    label: columnName(column),
    option: { isOn: column === lanes, isExclusive: true, closesMenu: true },
    onSelect: () => onLanes?.(column),
  }))
  return (
    <GridBar columns={columns} filters={filter.chips} search={search}>
      {viewMenu}
      <div className="row-buttons">
        {onLanes && <UndoButtons />}
        {onLanes && lanes && (
          <Menu label="Column of the lanes" items={items}>
            Lanes: {columnName(lanes)}
          </Menu>
        )}
        {columns.length > 0 && <ColumnsMenu arranged={arranged} columns={columns} />}
      </div>
      {filter.button}
    </GridBar>
  )
}
