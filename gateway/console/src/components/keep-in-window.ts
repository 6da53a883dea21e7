/** Space between an element and the edge of the window, in pixels. */
const MARGIN = 8

/** Keeps an element below a button in the window, now and when the window changes its size, until the returned function is called. */
export function followWindow(element: HTMLElement): () => void {
  const keep = () => keepInWindow(element)
  keep()
  window.addEventListener('resize', keep)
  return () => window.removeEventListener('resize', keep)
}

function keepInWindow(element: HTMLElement): void {
  element.style.translate = ''
  const { left, right, top } = element.getBoundingClientRect()
  const beyond = Math.max(0, right - (window.innerWidth - MARGIN))
  element.style.translate = `${Math.max(-beyond, MARGIN - left)}px 0`
  element.style.maxHeight = `${window.innerHeight - top - MARGIN}px`
}
