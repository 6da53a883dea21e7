import type { KeyboardEvent } from 'react'
import type { GridApi } from 'ag-grid-community'
import type { Row } from '../../api/resources'
import type { GroupedRows } from '../groups/grouped-rows'
import { isGroupRow } from '../groups/group-row'

/**
 * Handles keys in the header of a group: Enter and Space collapse or expand it, the left arrow collapses and the right arrow
 * expands it, and with Shift all groups. In a row of totals, Enter and Space open the menu of the summary. Returns true for
 * a key that has been handled.
 */
export function handleGroupKey(
  event: KeyboardEvent<HTMLElement>,
  api: GridApi<Row> | null,
  grouped: GroupedRows | undefined,
): boolean {
  const { target, ctrlKey, altKey, metaKey } = event
  if (!(target instanceof Element) || ctrlKey || altKey || metaKey) return false
  const isDone = pressSummary(event, target) || changeGroup(event, api, grouped)
  if (!isDone) return false
  // The grid would move the focus, or select the row.
  event.preventDefault()
  event.stopPropagation()
  return true
}

const isPress = ({ key }: KeyboardEvent): boolean => key === 'Enter' || key === ' '

function pressSummary(event: KeyboardEvent, target: Element): boolean {
  const button = isPress(event) && target.matches('.ag-cell') && target.querySelector('.summary')
  if (!(button instanceof HTMLElement)) return false
  button.click()
  return true
}

function changeGroup(
  event: KeyboardEvent,
  api: GridApi<Row> | null,
  grouped: GroupedRows | undefined,
): boolean {
  const isOnLine = (event.target as Element).matches('.ag-full-width-row')
  const focused = isOnLine ? api?.getFocusedCell() : undefined
  const row = focused ? api?.getDisplayedRowAtIndex(focused.rowIndex)?.data : undefined
  if (!grouped || !isGroupRow(row)) return false
  const { key, isCollapsed } = row.header
  const collapses = isPress(event) ? !isCollapsed : arrows.get(event.key)
  if (collapses === undefined) return false
  if (event.shiftKey) grouped.setAll(collapses)
  else if (isCollapsed !== collapses) grouped.toggle(key)
  return true
}

/** Whether an arrow key collapses groups. */
const arrows: ReadonlyMap<string, boolean> = new Map([
  ['ArrowLeft', true],
  ['ArrowRight', false],
])
