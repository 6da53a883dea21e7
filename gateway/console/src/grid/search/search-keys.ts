import { useEffect, type RefObject } from 'react'
import { COMPOSITION_CLASS, isGridEntry } from '../../components/entry'

/**
 * Ctrl+F moves the focus to the field that searches in the table, from the grid or where nothing has the focus; “/” does so
 * where it is not typed into a cell. In the field itself, Ctrl+F is left to the browser.
 */
export function useSearchKeys(input: RefObject<HTMLInputElement | null>, canEdit: boolean): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      const { current: field } = input
      if (!field || event.altKey || event.shiftKey || event.defaultPrevented) return
      if (!isFind(event) && !isSlash(event, canEdit)) return
      if (!mayLeave(event.target, field)) return
      event.preventDefault()
      event.stopPropagation()
      field.focus()
      field.select()
    }
    // Before the grid, in which a sign starts an editor.
    addEventListener('keydown', handleKey, { capture: true })
    return () => removeEventListener('keydown', handleKey, { capture: true })
  }, [input, canEdit])
}

const isFind = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key.toLowerCase() === 'f'

const isSlash = ({ key, ctrlKey, metaKey, target }: KeyboardEvent, canEdit: boolean): boolean =>
  key === '/' &&
  !ctrlKey &&
  !metaKey &&
  !(canEdit && target instanceof Element && target.closest('.ag-cell'))

function mayLeave(target: EventTarget | null, field: HTMLElement): boolean {
  if (!(target instanceof Element) || document.querySelector('dialog[open]')) return false
  const isGrid = target === document.body || target.closest('.grid') === field.closest('.grid')
  // The field of input methods passes keys on to its cell, from which they come here again.
  return isGrid && !isGridEntry(target) && !target.classList.contains(COMPOSITION_CLASS)
}
