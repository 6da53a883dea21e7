import type { SuppressKeyboardEventParams } from 'ag-grid-community'
import { useEffect, useRef, type RefObject } from 'react'
import type { Row } from '../../api/resources'
import { COMPOSITION_CLASS, isEntry } from '../../components/entry'

/** Keys pressed while an editor is opening: characters, Tab, Enter and arrows through a list. */
let ahead: string[] = []

/** Time to wait for an editor or cell that gets the focus, in milliseconds, and how often to look. */
const FOCUS_MS = 2_000
const TICK_MS = 10

const isEditor = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.ag-popup-editor') !== null

const isCharacter = (key: string): boolean => [...key].length === 1

/** True for keys that are entered later, in their order, when they cannot be entered at once. */
const isKept = ({ key, repeat, shiftKey }: KeyboardEvent): boolean =>
  // A repeated Enter is the one that opened the editor; Shift+Enter is a line break.
  isCharacter(key) ||
  (key === 'Enter' && !repeat && !shiftKey) ||
  ((key === 'Tab' || isArrow(key)) && !shiftKey)

const isArrow = (key: string): boolean => key === 'ArrowDown' || key === 'ArrowUp'

const isCommand = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  key === 'Escape' || ctrlKey || altKey || metaKey

/**
 * Buffers keys pressed between the key that opens a popup editor and the moment when the editor is mounted. Returns true for
 * keys that the grid must not handle.
 */
export function bufferKeys({ event, editing }: SuppressKeyboardEventParams<Row>): boolean {
  if (!editing) ahead = []
  if (!editing || isEditor(event.target) || isCommand(event)) return false
  event.preventDefault()
  if (event.type === 'keydown' && isKept(event)) ahead.push(event.key)
  return true
}

/** Enters characters in the editor that opens next. */
export function enterAhead(characters: readonly string[]): void {
  ahead = [...characters]
}

/** Ends holding; see holdKeys. */
let release = (): void => {}

/**
 * Keeps keys from the page until the next editor is mounted, which enters them, or until the returned function is called, which
 * drops them. Those pressed in a field or a dialog are entered there.
 */
export function holdKeys(): () => void {
  release()
  ahead = []
  release = keepKeys(ahead, isEntry)
  return release
}

/**
 * Adds keys that are pressed to a list instead of handling them, except where `isExempt` says so. Returns a function that ends
 * that.
 */
function keepKeys(
  kept: string[],
  isExempt: (event: KeyboardEvent) => boolean = () => false,
): () => void {
  const keep = (event: KeyboardEvent) => {
    if (!event.isTrusted || isCommand(event) || !isKept(event) || isExempt(event)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    kept.push(event.key)
  }
  window.addEventListener('keydown', keep, true)
  return () => window.removeEventListener('keydown', keep, true)
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
 * Focuses an editor when it is mounted, labels its popup, and enters the buffered keys, also in the cells that follow after a
 * Tab. Existing text is selected, unless typing opened the editor.
 */
export function useEditorFocus<Field extends HTMLInputElement | HTMLTextAreaElement>(
  label: string,
  isTyped: boolean,
): RefObject<Field | null> {
  const ref = useRef<Field>(null)
  useEffect(() => {
    const field = ref.current
    field?.closest('.ag-popup [role=dialog]')?.setAttribute('aria-label', label)
    field?.focus()
    release()
    // Clear the buffer in any case, so that the next editor does not receive it.
    const keys = ahead
    ahead = []
    if (!field || !acceptsText(field)) return
    if (isTyped) field.setSelectionRange(field.value.length, field.value.length)
    else field.select()
    const end = keys.findIndex((key) => !isCharacter(key))
    const text = end < 0 ? keys : keys.slice(0, end)
    if (text.length > 0) insert(field, text.join(''))
    if (end >= 0) void replay(keys.slice(end))
  }, [label, isTyped])
  return ref
}

function insert(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Enters keys one after the other where the focus goes. Keys pressed meanwhile follow. */
async function replay(keys: readonly string[]): Promise<void> {
  const queue = [...keys]
  const end = keepKeys(queue)
  try {
    for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
      // After the events before it were processed.
      await tick()
      if (!(await press(key))) return
    }
  } finally {
    end()
  }
}

/** A cell that has the focus and no editor, or the field over it. */
const FOCUSED = `.ag-cell:not(.ag-cell-inline-editing), .${COMPOSITION_CLASS}`

/** Presses a key, and waits for the cell or the editor that it leads to. Returns false if there is none. */
async function press(key: string): Promise<boolean> {
  const target = document.activeElement
  if (!target) return false
  if (isCharacter(key) && isField(target)) {
    insert(target, key)
    return true
  }
  target.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, ...bubbling }))
  if (isArrow(key)) return true
  const isThere = isCharacter(key)
    ? () => isField(document.activeElement)
    : () => document.activeElement?.matches(FOCUSED) ?? false
  const until = performance.now() + FOCUS_MS
  while (!isThere() && performance.now() < until) await tick()
  return isThere()
}

const bubbling = { bubbles: true, cancelable: true }

const tick = () => new Promise((resolve) => setTimeout(resolve, TICK_MS))

const isField = (target: Element | null): target is HTMLInputElement | HTMLTextAreaElement =>
  (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) &&
  acceptsText(target)

const acceptsText = (field: HTMLInputElement | HTMLTextAreaElement): boolean =>
  field instanceof HTMLTextAreaElement ||
  (field.type === 'text' && !field.matches(`.${COMPOSITION_CLASS}`))
