import type { GridApi } from 'ag-grid-community'
import { useEffect, type RefObject } from 'react'
import type { Row } from '../../api/resources'
import { enterAhead } from '../../cells/editing/type-ahead'
import { COMPOSITION_CLASS } from '../../components/entry'

/** A grid, and the element that contains it. */
export interface GridParts {
  readonly grid: RefObject<GridApi<Row> | null>
  readonly body: RefObject<HTMLDivElement | null>
}

/** Languages that are written with input methods. */
const LANGUAGES = /^(ja|ko|vi|yue|zh)\b/i

/** True once it is known that the user composes text. */
let isComposer = false

/**
 * Opens the editor of the focused cell with text that an input method has composed there, as the text of plain keys does. Input
 * methods compose in fields only: for users who have a language that needs one, and for others from the first composition on, a
 * transparent field over the focused cell has the focus. It passes all other keys on to the cell.
 */
export function useComposition({ grid, body }: GridParts): void {
  useEffect(() => {
    const element = body.current
    if (!element) return
    isComposer ||= navigator.languages.some((language) => LANGUAGES.test(language))
    const field = createField(() => grid.current)
    const handleFocus = ({ target }: FocusEvent) => {
      const name = isComposer ? nameOf(target, grid.current) : undefined
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
  }, [grid, body])
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
    field.classList.remove('composing')
    const api = getGrid()
    const cell = api?.getFocusedCell()
    if (!api || !cell || first === undefined) return
    enterAhead(rest)
    api.startEditingCell({ rowIndex: cell.rowIndex, colKey: cell.column, key: first })
  }
  field.addEventListener('compositionstart', () => field.classList.add('composing'))
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
function nameOf(target: EventTarget | null, api: GridApi<Row> | null): string | undefined {
  const cell = api?.getFocusedCell()
  const node = cell && api?.getDisplayedRowAtIndex(cell.rowIndex)
  if (!node || !cell.column.isCellEditable(node)) return undefined
  if (!(target instanceof Element && target.matches(CELL))) return undefined
  const parts = [cell.column.getColDef().headerName, `row ${cell.rowIndex + 1}`, target.textContent]
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
