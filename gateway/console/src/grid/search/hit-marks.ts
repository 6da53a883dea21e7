import { useEffect, type RefObject } from 'react'
import { findParts } from './cell-texts'

/** The name of the highlight in style sheets. */
const HIGHLIGHT = 'search-hit'
/** The class of a cell that contains the text, which may be shown in another form. */
const HIT_CLASS = 'cell-hit'

/** Whether the cell of a loaded row contains the text, as far as the row tells. */
type HasHit = (rowIndex: number, colId: string) => boolean

/**
 * Marks the cells of a grid that contain a text, and the text in them, as they are drawn. Text is marked by a highlight, which
 * changes no element; browsers that have none mark the cells only.
 */
export function useHitMarks(
  body: RefObject<HTMLElement | null>,
  text: string,
  hasHit: HasHit,
): void {
  useEffect(() => {
    const { current: element } = body
    if (!element || text === '') return
    const mark = () => markCells(element, text, hasHit)
    let frame = requestAnimationFrame(mark)
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    })
    observer.observe(element, { childList: true, characterData: true, subtree: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      for (const cell of element.querySelectorAll(`.${HIT_CLASS}`)) cell.classList.remove(HIT_CLASS)
      highlights()?.delete(HIGHLIGHT)
    }
  }, [body, text, hasHit])
}

/** Undefined in browsers that have no highlights, whatever the types say. */
const highlights = (): HighlightRegistry | undefined =>
  (CSS as { highlights?: HighlightRegistry }).highlights

function markCells(body: HTMLElement, text: string, hasHit: HasHit): void {
  const ranges: Range[] = []
  for (const cell of body.querySelectorAll<HTMLElement>('.ag-row:not(.ag-row-pinned) .ag-cell')) {
    const found = cell.matches('.ag-cell-inline-editing, .row-number') ? [] : rangesIn(cell, text)
    const rowIndex = cell.closest('.ag-row')?.getAttribute('row-index')
    const isHit = found.length > 0 || hasHit(Number(rowIndex), cell.getAttribute('col-id') ?? '')
    cell.classList.toggle(HIT_CLASS, isHit)
    ranges.push(...found)
  }
  highlights()?.set(HIGHLIGHT, new Highlight(...ranges))
}

/** The ranges of the shown text of an element that contain a text. */
function rangesIn(element: HTMLElement, text: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const [start, end] of findParts(node.nodeValue ?? '', text)) {
      const range = new Range()
      range.setStart(node, start)
      range.setEnd(node, end)
      ranges.push(range)
    }
  return ranges
}
