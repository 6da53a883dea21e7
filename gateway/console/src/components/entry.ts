/** Class of the field over a focused cell in which input methods compose text. Other keys and the clipboard are the cell's. */
export const COMPOSITION_CLASS = 'composition-field'
/** Where text is entered, and what is over the page. */
const ENTRY = `input:not([type=checkbox], [type=range], .${COMPOSITION_CLASS}), textarea, [contenteditable], .formula-editor, dialog`

/** True for events on an element where keys keep their usual meaning, so that they are no commands of the page. */
export function isEntry({ target }: Event): boolean {
  return target instanceof Element && target.closest(ENTRY) !== null
}
