/** Where a side panel is as wide as the page; see side-panel.css. */
const COVERING = '(max-width: 30rem)'

/**
 * Makes the rest of the main part of the page unreachable while a panel covers it, which is on narrow screens only. Returns a
 * function that ends this.
 */
export function coverPage(panel: Element): () => void {
  const narrow = window.matchMedia(COVERING)
  let covered: HTMLElement[] = []
  const uncover = () => {
    for (const element of covered) element.inert = false
    covered = []
  }
  const update = () => {
    uncover()
    if (narrow.matches) covered = besides(panel)
    for (const element of covered) element.inert = true
  }
  update()
  narrow.addEventListener('change', update)
  return () => {
    narrow.removeEventListener('change', update)
    uncover()
  }
}

/** Returns what is in the main part of the page beside an element and those that contain it. */
function besides(panel: Element): HTMLElement[] {
  const found: HTMLElement[] = []
  for (let at = panel; at.parentElement && !at.matches('main'); at = at.parentElement)
    for (const other of at.parentElement.children)
      if (other !== at && other instanceof HTMLElement && !other.inert) found.push(other)
  return found
}
