import { useEffect, useMemo, type KeyboardEvent, type RefObject } from 'react'
import type { GridApi } from 'ag-grid-community'
import type { Row } from '../../api/resources'
import type { FollowedFocus } from '../moves/followed-focus'
import type { RowMoves } from '../moves/row-moves'
import type { RowStore } from '../rows/row-store'
import { isGridEntry } from '../../components/entry'
import { FollowedRange } from './followed-range'
import type { RangeSelection } from './range-selection'

interface GuardedGrid {
  readonly grid: RefObject<GridApi<Row> | null>
  readonly moves: RowMoves
  readonly focus: FollowedFocus
}

interface GuardParts {
  readonly store: RowStore
  readonly selection: RangeSelection
  readonly report: (problem: string) => void
}

/** Refuses changes of the selected cells while live changes have put other rows at their places. */
export interface ChangeGuard {
  /** Reports, and returns true, when a change must not be made that an event on a cell asks for. */
  readonly refuses: (target: EventTarget) => boolean
  /** The same for a key, unless it changes nothing. */
  readonly refusesKey: (event: KeyboardEvent) => boolean
}

const ROW_GONE =
  'Nothing was changed: the row that had the focus is no longer here. Select a cell to continue.'
const ROWS_MOVED = 'Nothing was changed: the selected rows have moved. Select them again.'

/** Lets the selected range of a grid go with its rows, and guards it. */
export function useChangeGuard(
  { grid, moves, focus }: GuardedGrid,
  { store, selection, report }: GuardParts,
): ChangeGuard {
  const range = useMemo(() => {
    const isDisplayed = (index: number) =>
      grid.current?.getDisplayedRowAtIndex(index)?.data?.id === store.at(index)?.id
    const isCurrent = (index: number) => store.isFresh(index) && isDisplayed(index)
    return new FollowedRange({ grid, selection, isCurrent })
  }, [grid, selection, store])
  useEffect(() => moves.add(range), [moves, range])
  return useMemo(() => {
    const refuses = (target: EventTarget) => {
      const isLost = focus.isLost && !selection.current
      if (isGridEntry(target) || (!isLost && !range.isUnsettled)) return false
      report(isLost ? ROW_GONE : ROWS_MOVED)
      if (!isLost) selection.set(undefined)
      return true
    }
    return { refuses, refusesKey: (event) => isChanging(event) && refuses(event.target) }
  }, [focus, range, selection, report])
}

const EDITING_KEYS: ReadonlySet<string> = new Set(['Enter', 'F2', 'Delete', 'Backspace', 'Dead'])

/** Returns true for a key that changes or edits the selected cells, or opens their row. Shift+Enter adds one. */
function isChanging({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey) return key.toLowerCase() === 'd'
  if (altKey || (key === 'Enter' && shiftKey)) return false
  return EDITING_KEYS.has(key) || [...key].length === 1
}
