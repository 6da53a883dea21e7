/** Space between an element and the edge of the window, in pixels. */
const MARGIN = 8
/** Height that an element has at least, if it is that high. With less space below its button it is moved up. In pixels. */
const LEAST = 240

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
  const below = window.innerHeight - top - MARGIN
  const missing = Math.min(element.scrollHeight, LEAST) - below
  const up = Math.max(0, Math.min(missing, top - MARGIN))
  element.style.translate = `${Math.max(-beyond, MARGIN - left)}px ${-up}px`
  element.style.maxHeight = `${below + up}px`
}
