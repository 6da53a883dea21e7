import type { Row } from '../../api/resources'
import type { SuppressKeyboardEventParams } from 'ag-grid-community'
import { useEffect, useRef, type RefObject } from 'react'

/** What was typed while an editor opened. */
let typedAhead = ''
/** True when Enter came after that. */
let isEntered = false

const isEditor = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.ag-popup-editor') !== null

/**
 * Keeps what is typed between the key that opens an editor above the grid and the moment when it is there; true for keys
 * that the grid must not use as well.
 */
export function keepTyped({ event, editing }: SuppressKeyboardEventParams<Row>): boolean {
  if (!editing) forgetTyped()
  if (!editing || isEditor(event.target)) return false
  const { key, ctrlKey, altKey, metaKey } = event
  if (key === 'Escape' || ctrlKey || altKey || metaKey) return false
  event.preventDefault()
  if (event.type === 'keydown' && !isEntered) keep(event)
  return true
}

function keep({ key, repeat, shiftKey }: KeyboardEvent): void {
  if ([...key].length === 1) typedAhead += key
  // The Enter that has opened the editor may still be held; one with Shift is a new line.
  else isEntered = key === 'Enter' && !repeat && !shiftKey
}

/** Tab ends the editing, and goes to the next cell without editing that; true when it did. */
export function leaveByTab({ event, editing, api }: SuppressKeyboardEventParams<Row>): boolean {
  if (!editing || event.key !== 'Tab' || event.type !== 'keydown') return false
  event.preventDefault()
  api.stopEditing()
  if (event.shiftKey) api.tabToPreviousCell()
  else api.tabToNextCell()
  return true
}

/**
 * Gives an editor the focus as soon as it is there, names the window that the grid puts it in, and enters what was typed
 * before. Text that is there is selected, unless typing opened the editor.
 */
export function useOpening<Field extends HTMLInputElement | HTMLTextAreaElement>(
  label: string,
  isTyped: boolean,
): RefObject<Field | null> {
  const ref = useRef<Field>(null)
  useEffect(() => {
    const field = ref.current
    field?.closest('[role=dialog]')?.setAttribute('aria-label', label)
    field?.focus()
    // Also when this editor cannot take it: the next one must not.
    const more = typedAhead
    const ends = isEntered
    forgetTyped()
    if (!field || !takesText(field)) return
    if (isTyped) field.setSelectionRange(field.value.length, field.value.length)
    else field.select()
    if (more !== '') {
      field.setRangeText(more, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    // When the text has been taken in.
    if (ends) setTimeout(() => field.dispatchEvent(new KeyboardEvent('keydown', enter)))
  }, [label, isTyped])
  return ref
}

const enter = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }

function forgetTyped(): void {
  typedAhead = ''
  isEntered = false
}

const takesText = (field: HTMLInputElement | HTMLTextAreaElement): boolean =>
  field instanceof HTMLTextAreaElement || field.type === 'text'
