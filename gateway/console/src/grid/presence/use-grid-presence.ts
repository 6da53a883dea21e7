import { SELECTION_COLUMN_ID } from 'ag-grid-community'
import type { PresencePlace } from '@sheaf/client'
import { useEffect, type RefObject } from 'react'
import type { Person } from '../../presence/people'
import { usePeople, usePlace } from '../../presence/presence-provider'
import { NUMBER_COLUMN } from '../columns/number-column'

/** The attribute of a cell that somebody else has focused, with their names. */
const NAMES = 'data-people'
/** The attribute with the colour of the first of them. */
const HUE = 'data-hue'

/** The people at one cell. */
interface Marked {
  readonly names: string
  readonly hue: Person['hue']
}

/**
 * Marks the cells of a grid that others have focused with their names, and sets the place of this page to the cell that is focused
 * here.
 */
export function useGridPresence(body: RefObject<HTMLElement | null>, tableId: string): void {
  useMarkedCells(body, tableId)
  const { move } = usePlace()
  useEffect(() => {
    const { current: element } = body
    const follow = ({ target }: Event) => {
      const cell = target instanceof Element && target.closest('.ag-cell')
      if (cell) move({ tableId, ...placeOf(cell) })
    }
    element?.addEventListener('focusin', follow)
    return () => element?.removeEventListener('focusin', follow)
  }, [body, tableId, move])
}

/** Returns the row and the column of a cell; nothing for one of a row that is not loaded. */
function placeOf(cell: Element): Omit<PresencePlace, 'tableId'> {
  const rowId = Number(cell.closest('.ag-row')?.getAttribute('row-id'))
  const colId = cell.getAttribute('col-id') ?? ''
  if (!Number.isInteger(rowId) || rowId < 1) return {}
  const isColumn = colId !== NUMBER_COLUMN && colId !== SELECTION_COLUMN_ID
  return isColumn ? { rowId, colId } : { rowId }
}

/** Marks cells as they are drawn; for a row without a cell, such as one that is open in a panel, its number. */
function useMarkedCells(body: RefObject<HTMLElement | null>, tableId: string): void {
  const people = usePeople()
  useEffect(() => {
    const { current: element } = body
    const marks = marksIn(people, tableId)
    if (!element) return
    const mark = () => markCells(element, marks)
    mark()
    if (marks.size === 0) return
    let frame = 0
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    })
    observer.observe(element, {
      childList: true,
      subtree: true,
      attributes: true,
      // A row that was drawn before its data has arrived gets its id later.
      attributeFilter: ['row-id'],
    })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [body, tableId, people])
}

/** The people in a table by the selector of their cell. */
function marksIn(people: readonly Person[], tableId: string): ReadonlyMap<string, Marked> {
  const marks = new Map<string, Marked>()
  for (const { name, hue, places } of people)
    for (const place of places) {
      if (place.tableId !== tableId || place.rowId === undefined) continue
      const column = CSS.escape(place.colId ?? NUMBER_COLUMN)
      const selector = `.ag-row[row-id="${place.rowId}"] .ag-cell[col-id="${column}"]`
      const before = marks.get(selector)
      marks.set(
        selector,
        before ? { ...before, names: `${before.names}, ${name}` } : { names: name, hue },
      )
    }
  return marks
}

function markCells(body: HTMLElement, marks: ReadonlyMap<string, Marked>): void {
  const found = new Map<Element, Marked>()
  for (const [selector, marked] of marks)
    for (const cell of body.querySelectorAll(selector)) found.set(cell, marked)
  for (const cell of body.querySelectorAll(`[${NAMES}]`))
    if (!found.has(cell)) {
      cell.removeAttribute(NAMES)
      cell.removeAttribute(HUE)
    }
  for (const [cell, { names, hue }] of found) {
    cell.setAttribute(NAMES, names)
    cell.setAttribute(HUE, hue)
  }
}
