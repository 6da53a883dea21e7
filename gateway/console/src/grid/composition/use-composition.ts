import type { GridApi } from 'ag-grid-community'
import { useEffect, type RefObject } from 'react'
import type { Row } from '../../api/resources'
import { enterAhead } from '../../cells/editing/type-ahead'
import { COMPOSITION_CLASS } from '../../components/entry'
import type { FollowedFocus } from '../moves/followed-focus'
import type { RowPlaces } from '../rows/row-places'

/** A grid, and the element that contains it. */
export interface GridParts {
  readonly grid: RefObject<GridApi<Row> | null>
  readonly body: RefObject<HTMLDivElement | null>
  readonly focus: FollowedFocus
}

/** Languages that are written with input methods. */
const LANGUAGES = /^(ja|ko|vi|yue|zh)\b/i

/** The class of the field while text is composed in it. */
const COMPOSING = 'composing'

/** True once it is known that the user composes text. */
let isComposer = false

/** True while an input method composes text on a cell. */
export const isComposing = (): boolean =>
  document.activeElement?.matches(`.${COMPOSITION_CLASS}.${COMPOSING}`) === true

/**
 * Opens the editor of the focused cell with text that an input method has composed there, as the text of plain keys does. Input
 * methods compose in fields only: for users who have a language that needs one, and for others from the first composition on, a
 * transparent field over the focused cell has the focus. It passes all other keys on to the cell.
 */
export function useComposition({ grid, body, focus }: GridParts, places: RowPlaces): void {
  useEffect(() => {
    const element = body.current
    if (!element) return
    isComposer ||= navigator.languages.some((language) => LANGUAGES.test(language))
    const field = createField(() => (focus.isLost ? null : grid.current))
    const handleFocus = ({ target }: FocusEvent) => {
      const name = isComposer ? nameOf(target, grid.current, places) : undefined
      if (name === undefined) return
      if (!field.isConnected) element.append(field)
      field.setAttribute('aria-label', name)
      placeOver(field, target as Element)
      field.focus({ preventScroll: true })
    }
    const handleKey = (event: KeyboardEvent) => {
      if (event.target === field) passOn(event, element)
    }
    // The grid may have been scrolled since.
    field.addEventListener('compositionstart', () => {
      const cell = element.querySelector(FOCUSED_CELL)
      if (cell) placeOver(field, cell)
    })
    element.addEventListener('focusin', handleFocus)
    // Before React handles keys.
    document.addEventListener('keydown', handleKey, true)
    document.addEventListener('compositionstart', noteComposer, true)
    return () => {
      field.remove()
      element.removeEventListener('focusin', handleFocus)
      document.removeEventListener('keydown', handleKey, true)
      document.removeEventListener('compositionstart', noteComposer, true)
    }
  }, [grid, body, focus, places])
}

function noteComposer(): void {
  isComposer = true
}

function createField(getGrid: () => GridApi<Row> | null): HTMLInputElement {
  const field = document.createElement('input')
  field.type = 'text'
  field.className = COMPOSITION_CLASS
  field.tabIndex = -1
  field.autocomplete = 'off'
  const enter = () => {
    const [first, ...rest] = field.value
    field.value = ''
    field.classList.remove(COMPOSING)
    const api = getGrid()
    const cell = api?.getFocusedCell()
    if (!api || !cell || first === undefined) return
    enterAhead(rest)
    api.startEditingCell({ rowIndex: cell.rowIndex, colKey: cell.column, key: first })
  }
  field.addEventListener('compositionstart', () => field.classList.add(COMPOSING))
  field.addEventListener('compositionend', enter)
  // Keyboards of telephones enter text without keys.
  field.addEventListener('input', (event) => {
    if (!(event as InputEvent).isComposing) enter()
  })
  return field
}

/**
 * What a screen reader says of the focused cell: its column, row and text. Undefined if the element is not that cell, or if the
 * cell cannot be edited or has an editor.
 */
function nameOf(
  target: EventTarget | null,
  api: GridApi<Row> | null,
  places: RowPlaces,
): string | undefined {
  const cell = api?.getFocusedCell()
  const node = cell && api?.getDisplayedRowAtIndex(cell.rowIndex)
  if (!node || !cell.column.isCellEditable(node)) return undefined
  if (!(target instanceof Element && target.matches(CELL))) return undefined
  const row = `row ${places.numberOf(cell.rowIndex)}`
  const parts = [cell.column.getColDef().headerName, row, target.textContent]
  return parts.filter(Boolean).join(', ')
}

const FOCUSED_CELL = '.ag-cell-focus'
const CELL = '.ag-cell:not(.ag-cell-inline-editing)'

function placeOver(field: HTMLElement, cell: Element): void {
  const { left, top, width, height } = cell.getBoundingClientRect()
  const origin = field.parentElement?.getBoundingClientRect()
  field.style.left = `${left - (origin?.left ?? 0)}px`
  field.style.top = `${top - (origin?.top ?? 0)}px`
  field.style.width = `${width}px`
  field.style.height = `${height}px`
}

/** Passes a key on to the focused cell, unless it belongs to an input method. */
function passOn(event: KeyboardEvent, element: HTMLElement): void {
  event.stopPropagation()
  // 229 is a key that an input method handles (UI Events, 4.3.5).
  if (event.isComposing || event.keyCode === 229 || event.key === 'Dead') return
  const cell = element.querySelector(FOCUSED_CELL)
  if (cell?.dispatchEvent(new KeyboardEvent(event.type, event)) !== true) event.preventDefault()
}
