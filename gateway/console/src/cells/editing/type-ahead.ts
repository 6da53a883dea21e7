import type { SuppressKeyboardEventParams } from 'ag-grid-community'
import { useEffect, useRef, type RefObject } from 'react'
import type { Row } from '../../api/resources'

/** Text typed while an editor is opening. */
let typedAhead = ''
/** True if Enter was pressed after that text. */
let isEntered = false

const isEditor = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.ag-popup-editor') !== null

/**
 * Buffers keys pressed between the key that opens a popup editor and the moment when the editor is mounted. Returns true for
 * keys that the grid must not handle.
 */
export function bufferKeys({ event, editing }: SuppressKeyboardEventParams<Row>): boolean {
  if (!editing) clearBuffer()
  if (!editing || isEditor(event.target)) return false
  const { key, ctrlKey, altKey, metaKey } = event
  if (key === 'Escape' || ctrlKey || altKey || metaKey) return false
  event.preventDefault()
  if (event.type === 'keydown' && !isEntered) bufferKey(event)
  return true
}

function bufferKey({ key, repeat, shiftKey }: KeyboardEvent): void {
  if ([...key].length === 1) typedAhead += key
  // A repeated Enter is the one that opened the editor; Shift+Enter is a line break.
  else isEntered = key === 'Enter' && !repeat && !shiftKey
}

/** Tab stops editing and moves to the next cell without editing it. Returns true if it did. */
export function leaveByTab({ event, editing, api }: SuppressKeyboardEventParams<Row>): boolean {
  if (!editing || event.key !== 'Tab' || event.type !== 'keydown') return false
  event.preventDefault()
  api.stopEditing()
  if (event.shiftKey) api.tabToPreviousCell()
  else api.tabToNextCell()
  return true
}

/**
 * Focuses an editor when it is mounted, labels its popup, and enters the buffered keys. Existing text is selected, unless
 * typing opened the editor.
 */
export function useEditorFocus<Field extends HTMLInputElement | HTMLTextAreaElement>(
  label: string,
  isTyped: boolean,
): RefObject<Field | null> {
  const ref = useRef<Field>(null)
  useEffect(() => {
    const field = ref.current
    field?.closest('[role=dialog]')?.setAttribute('aria-label', label)
    field?.focus()
    // Clear the buffer in any case, so that the next editor does not receive it.
    const buffered = typedAhead
    const ends = isEntered
    clearBuffer()
    if (!field || !acceptsText(field)) return
    if (isTyped) field.setSelectionRange(field.value.length, field.value.length)
    else field.select()
    if (buffered !== '') {
      field.setRangeText(buffered, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    // After the input event was processed.
    if (ends) setTimeout(() => field.dispatchEvent(new KeyboardEvent('keydown', enter)))
  }, [label, isTyped])
  return ref
}

const enter = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }

function clearBuffer(): void {
  typedAhead = ''
  isEntered = false
}

const acceptsText = (field: HTMLInputElement | HTMLTextAreaElement): boolean =>
  field instanceof HTMLTextAreaElement || field.type === 'text'
