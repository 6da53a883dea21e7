import { useEffect } from 'react'

/** Goes to another page. */
type Go = () => void

/** Asks before a page with edits is left; undefined if there are none. */
let guard: ((go: Go) => void) | undefined

/** Goes to another page, by means other than a link: at once, or after the question about edits that would be lost. */
export function leavePage(go: Go): void {
  if (guard) guard(go)
  else go()
}

/**
 * While there are edits, the browser asks before it closes the page, and `ask` is called in place of what leads to another page
 * of the console. It is passed what goes there after all, to be called once there are no edits.
 */
export function useLeaveGuard(hasEdits: boolean, ask: (go: Go) => void): void {
  useEffect(() => {
    if (!hasEdits) return
    const askBefore = (event: BeforeUnloadEvent) => event.preventDefault()
    const handleClick = (event: MouseEvent) => {
      const link = leadingAway(event)
      if (!link) return
      event.preventDefault()
      event.stopPropagation()
      ask(() => link.click())
    }
    guard = ask
    window.addEventListener('beforeunload', askBefore)
    document.addEventListener('click', handleClick, true)
    return () => {
      guard = undefined
      window.removeEventListener('beforeunload', askBefore)
      document.removeEventListener('click', handleClick, true)
    }
  }, [hasEdits, ask])
}

/** Returns the link to another page of the console that a click opens in place of this one. */
function leadingAway(event: MouseEvent): HTMLAnchorElement | undefined {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
  const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href]')
  if (!link || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return undefined
  const isKept = link.target === '_blank' || link.hasAttribute('download')
  const isPage = link.origin === location.origin && link.pathname !== location.pathname
  return isPage && !isKept ? link : undefined
}
