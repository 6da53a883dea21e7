import type { GridApi } from 'ag-grid-community'
import type { RefObject } from 'react'
import type { Column, Row } from '../../api/resources'
import type { MenuItem } from '../../components/overlays/menu-items'
import {
  moveBy,
  shownIds,
  withFrozen,
  withHidden,
  withWidth,
  type Arrangement,
} from './arrangement'
import type { TableArrangement } from './use-arrangement'

/** Pixels by which a column becomes wider or narrower. */
const STEP = 40

/** Returns the items of a column's menu that arrange it. */
export function arrangementItems(
  { id }: Column,
  { arrangement, change }: TableArrangement,
  grid: RefObject<GridApi<Row> | null>,
): MenuItem[] {
  const ids = shownIds(arrangement)
  const place = ids.indexOf(id)
  const isLastFrozen = arrangement.frozenColumns === place + 1
  const item = (label: string, to: (all: Arrangement) => Arrangement, focused = id): MenuItem => ({
    label,
    onSelect() {
      change(to)
      // The header may be drawn anew, in another place.
      requestAnimationFrame(() => grid.current?.setFocusedHeader(focused))
    },
  })
  const resize = (all: Arrangement, by: number) => {
    const width = grid.current?.getColumn(id)?.getActualWidth()
    return width === undefined ? all : withWidth(all, id, width + by)
  }
  const next = ids[place + 1] ?? ids[place - 1]
  const freeze = isLastFrozen ? 'Unfreeze columns' : 'Freeze up to this column'
  const fit = () => grid.current?.autoSizeColumns([id])
  return [
    {
      ...item(freeze, (all) => withFrozen(all, isLastFrozen ? 0 : place + 1)),
      startsGroup: true,
    },
    ...(place > 0 ? [item('Move left', (all) => moveBy(all, id, -1))] : []),
    ...(place < ids.length - 1 ? [item('Move right', (all) => moveBy(all, id, 1))] : []),
    item('Make wider', (all) => resize(all, STEP)),
    item('Make narrower', (all) => resize(all, -STEP)),
    { label: 'Fit width to contents', onSelect: () => fit() },
    ...(next === undefined ? [] : [item('Hide column', (all) => withHidden(all, id, true), next)]),
  ]
}
