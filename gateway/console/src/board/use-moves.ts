import { useCallback, useEffect, useState } from 'react'
import type { Column } from '../api/resources'
import { columnName } from '../formats/column'
import type { CellWriting } from '../grid/editing/use-cell-writing'
import type { DraggedCard } from './board-context'
import type { LaneHandles } from './lane-handles'
import { laneValue, type Lane } from './lanes'
import type { MovedCard, MovedCards } from './moved-cards'

/** Maximum wait for the rows of the lanes after a card was moved. */
const LATE_MS = 3_000

interface MoveParts {
  readonly handles: LaneHandles
  readonly moved: MovedCards
  readonly write: CellWriting['write']
  readonly titleOf: (lane: Lane) => string
}

/** Moves cards between lanes. */
interface Moves {
  readonly move: (card: DraggedCard, to: Lane, focuses: boolean) => void
  /** The last move in words, for those who do not see it. */
  readonly note: string
}

/** Moves cards to other lanes: writes the value of the lane, and shows the card there at once. */
export function useMoves(column: Column, parts: MoveParts): Moves {
  const { handles, moved, write, titleOf } = parts
  const [note, setNote] = useState('')
  useEffect(() => handles.watch(() => settle(handles, moved)), [handles, moved])
  const move = useCallback<Moves['move']>(
    ({ row, title, from }, to, focuses) => {
      if (from === to.key) return
      const fields = { [column.id]: laneValue(to, column) }
      if (focuses) {
        handles.focusNext(row.id)
        showLane(to)
      }
      const card = moved.add({ ...row, fields: { ...row.fields, ...fields } }, to.key)
      setNote(`Moved ${title} to ${titleOf(to)}.`)
      const written = write(
        [{ id: row.id, fields, place: title }],
        `${columnName(column)}, ${title}`,
      )
      void written.then(async (isStored) => {
        if (!isStored) return moved.remove([card])
        await refreshLanes(handles, card)
        moved.finish(card)
        settle(handles, moved)
        setTimeout(() => giveUp(handles, moved, row.id), LATE_MS)
      })
    },
    [column, handles, moved, write, titleOf],
  )
  return { move, note }
}

/** Scrolls to a lane. One beyond the visible part is drawn then. */
function showLane({ key }: Lane): void {
  const lane = document.querySelector(`.board-lane[data-key="${CSS.escape(key)}"]`)
  lane?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

async function refreshLanes(handles: LaneHandles, { row, to }: MovedCard): Promise<void> {
  const lanes = new Set([handles.of(to), ...handles.holding(row.id)])
  const refreshed = [...lanes].map(async (lane) => {
    lane?.store.markStale()
    await lane?.store.refresh()
  })
  await Promise.all(refreshed)
}

/** Shows cards where they were read, once their old lanes are without them and their new ones have them. */
function settle(handles: LaneHandles, moved: MovedCards): void {
  const isRead = ({ isDone, row, to }: MovedCard) => {
    const lanes = handles.holding(row.id)
    const isThere = lanes.some(({ key }) => key === to) || !handles.of(to)
    return isDone && isThere && lanes.every(({ key }) => key === to)
  }
  show(handles, moved, [...moved.read().values()].filter(isRead))
}

/** Shows a card where it was read, or not at all in a lane whose rows that were read are others. */
function giveUp(handles: LaneHandles, moved: MovedCards, rowId: number): void {
  const card = moved.read().get(rowId)
  if (card?.isDone) show(handles, moved, [card])
}

function show(handles: LaneHandles, moved: MovedCards, cards: readonly MovedCard[]): void {
  const focused = document.activeElement?.closest('[data-row-id]')?.getAttribute('data-row-id')
  moved.remove(cards)
  for (const { row, to } of cards) {
    const lane = handles.of(to)
    const index = lane?.store.indexOf(row.id)
    const hasFocus = focused === String(row.id)
    if (index !== undefined) lane?.reveal(index, hasFocus)
    else if (hasFocus) lane?.enter()
  }
}
