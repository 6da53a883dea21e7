/** Class of the field over a focused cell in which input methods compose text. Other keys and the clipboard are the cell's. */
export const COMPOSITION_CLASS = 'composition-field'
/** Where text is entered. */
const TEXT = `input:not([type=checkbox], [type=range], .${COMPOSITION_CLASS}), textarea, [contenteditable], .formula-editor`
/** What is over the page has keys of its own. */
const PAGE_ENTRY = `${TEXT}, dialog`
/** Editors over the grid, and lists, which are operated by the keys of cells. */
const GRID_ENTRY = `${TEXT}, select, .ag-popup-editor`

/** True for events on an element where keys keep their usual meaning, so that they are no commands of the page. */
export function isEntry({ target }: Event): boolean {
  return target instanceof Element && target.closest(PAGE_ENTRY) !== null
}

/** Returns true where keys and the clipboard have their usual meaning, so that they are no commands of the cells of a grid. */
export const isGridEntry = (target: EventTarget): boolean =>
  target instanceof Element && target.closest(GRID_ENTRY) !== null
