/** Where text is entered, and what is over the page. */
const ENTRY =
  'input:not([type=checkbox], [type=range]), textarea, [contenteditable], .formula-editor, dialog'

/** True for events on an element where keys keep their usual meaning, so that they are no commands of the page. */
export function isEntry({ target }: Event): boolean {
  return target instanceof Element && target.closest(ENTRY) !== null
}
