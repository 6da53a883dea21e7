import { useEffect, useMemo, type RefObject } from 'react'
import type { Column, Row } from '../api/resources'
import { useMarkedPlaces, type RowPlace } from '../grid/presence/marked-places'
import { cellHasText } from '../grid/search/cell-texts'
import { useHitMarks } from '../grid/search/hit-marks'
import { usePlace } from '../presence/presence-provider'

/** The attribute of a value on a card with the id of its column. */
const COLUMN = 'data-col-id'

interface MarkedBoard {
  readonly tableId: string
  /** What is searched for; empty for nothing. */
  readonly text: string
  /** The columns on cards. */
  readonly shown: readonly Column[]
  readonly find: (rowId: number) => Row | undefined
}

/**
 * Marks the hits of the search on the cards of a board, and the cards where others are. Sets the place of this page to the card
 * that is focused.
 */
export function useBoardMarks(
  body: RefObject<HTMLElement | null>,
  { tableId, text, shown, find }: MarkedBoard,
): void {
  useMarkedPlaces(body, tableId, selectorOf)
  useHitMarks(body, text, useHitCells(text, shown, find))
  const { move } = usePlace()
  useEffect(() => {
    const { current: element } = body
    const follow = ({ target }: Event) => {
      const rowId = target instanceof Element && rowIdOf(target)
      if (rowId) move({ tableId, rowId })
    }
    element?.addEventListener('focusin', follow)
    return () => element?.removeEventListener('focusin', follow)
  }, [body, tableId, move])
}

function useHitCells(text: string, shown: readonly Column[], find: MarkedBoard['find']) {
  return useMemo(() => {
    const columns = new Map(shown.map((column) => [column.id, column]))
    return {
      selector: `.board-card [${COLUMN}]`,
      hasHit(cell: Element) {
        const column = columns.get(cell.getAttribute(COLUMN) ?? '')
        return column !== undefined && cellHasText(find(rowIdOf(cell)), column, text)
      },
    }
  }, [text, shown, find])
}

/** The card of a place, whichever its column. */
const selectorOf = ({ rowId }: RowPlace): string => `.board-card[data-row-id="${rowId}"]`

/** The row of the card that contains an element; 0 for none. */
const rowIdOf = (element: Element): number =>
  Number(element.closest('.board-card')?.getAttribute('data-row-id') ?? 0)
