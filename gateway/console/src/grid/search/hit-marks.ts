import { useEffect, type RefObject } from 'react'
import { findParts } from './cell-texts'

/** The name of the highlight in style sheets. */
const HIGHLIGHT = 'search-hit'
/** The class of a cell that contains the text, which may be shown in another form. */
const HIT_CLASS = 'cell-hit'

/** The cells that are marked. */
export interface HitCells {
  /** Selector of their elements. */
  readonly selector: string
  /** Whether a cell contains the text, as far as its loaded row tells. */
  readonly hasHit: (cell: Element) => boolean
}

/**
 * Marks the cells in an element that contain a text, and the text in them, as they are drawn. Text is marked by a highlight, which
 * changes no element; browsers that have none mark the cells only.
 * @param cells must be memoized
 */
export function useHitMarks(
  body: RefObject<HTMLElement | null>,
  text: string,
  cells: HitCells,
): void {
  useEffect(() => {
    const { current: element } = body
    if (!element || text === '') return
    const mark = () => markCells(element, text, cells)
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
  }, [body, text, cells])
}

/** Undefined in browsers that have no highlights, whatever the types say. */
const highlights = (): HighlightRegistry | undefined =>
  (CSS as { highlights?: HighlightRegistry }).highlights

function markCells(body: HTMLElement, text: string, { selector, hasHit }: HitCells): void {
  const ranges: Range[] = []
  for (const cell of body.querySelectorAll<HTMLElement>(selector)) {
    const found = cell.matches('.ag-cell-inline-editing, .row-number') ? [] : rangesIn(cell, text)
    cell.classList.toggle(HIT_CLASS, found.length > 0 || hasHit(cell))
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
