import { useSyncExternalStore } from 'react'
import type { Column } from '../../api/resources'
import { frozenWithin, type Arrangement } from '../arrangement/arrangement'
import { plainWidth } from './cell-column'

/** What stays in view takes at most this part of the window: the other columns must be readable beside it. */
const FROZEN_SHARE = 0.6
/** Width of the checkboxes and row numbers, which stay in view, too. */
const ROW_HEAD_PIXELS = 116

const watchWindow = (listener: () => void) => {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}

/** Returns how many of the shown columns are frozen: as many as arranged, as far as the window is wide enough. */
export function useFrozenCount(arrangement: Arrangement, shown: readonly Column[]): number {
  const pixels = useSyncExternalStore(watchWindow, () => window.innerWidth)
  const widths = new Map(arrangement.columns.map(({ id, width }) => [id, width]))
  const frozen = shown.slice(0, arrangement.frozenColumns)
  const taken = frozen.map((column) => widths.get(column.id) ?? plainWidth(column))
  return frozenWithin(taken, pixels * FROZEN_SHARE - ROW_HEAD_PIXELS)
}
