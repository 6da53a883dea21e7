import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { useDraft } from './drafts'

/** Goes to another page. */
type Go = () => void

/** The page with edits. */
interface Guarded {
  /** Asks before the page is left. */
  readonly ask: (go: Go) => void
  readonly page: string
  /** Its place in the history. */
  readonly place: number | undefined
}

/** Undefined if there are no edits. */
let guarded: Guarded | undefined

/** Goes to another page, by means other than a link: at once, or after the question about edits that would be lost. */
export function leavePage(go: Go): void {
  if (guarded) guarded.ask(go)
  else go()
}

/**
 * Makes back and forward ask as well. To be called before the router is mounted: events of the history reach their listeners in
 * the order in which these were added.
 */
export function guardHistory(): void {
  window.addEventListener('popstate', (event) => {
    if (!guarded || pageOf(window.location) === guarded.page) return
    const { ask, place: from } = guarded
    const to = placeOf(event.state)
    if (from === undefined || to === undefined) return
    // The router must not follow, and the address is set back.
    event.stopImmediatePropagation()
    window.history.go(from - to)
    ask(() => window.history.go(to - from))
  })
}

/**
 * While there are edits, the browser asks before it closes the page, and `ask` is called in place of what leads to another page
 * of the console: a link, or back and forward. It is passed what goes there after all, to be called once there are no edits.
 * @param name what has the edits, as it is named when the session ends
 */
export function useLeaveGuard(hasEdits: boolean, name: string, ask: (go: Go) => void): void {
  const { key } = useLocation()
  useDraft(hasEdits, name)
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
    guarded = { ask, page: pageOf(window.location), place: placeOf(window.history.state) }
    window.addEventListener('beforeunload', askBefore)
    document.addEventListener('click', handleClick, true)
    return () => {
      guarded = undefined
      window.removeEventListener('beforeunload', askBefore)
      document.removeEventListener('click', handleClick, true)
    }
    // The place in the history changes with the key of the location.
  }, [hasEdits, ask, key])
}

/** The parameters of an address by which a table is shown by something else, which has no edits. */
const PAGE_PARAMETERS = ['view', 'asOf']

/** Returns what is the same for addresses between which edits are kept. */
function pageOf({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  const query = new URLSearchParams(search)
  return JSON.stringify([pathname, ...PAGE_PARAMETERS.map((name) => query.get(name))])
}

/** Returns the place of an entry among those of the router in the history; undefined for another one. */
function placeOf(state: unknown): number | undefined {
  const { idx } = (state ?? {}) as { readonly idx?: unknown }
  return typeof idx === 'number' ? idx : undefined
}

/** Returns the link to another page of the console that a click opens in place of this one. */
function leadingAway(event: MouseEvent): HTMLAnchorElement | undefined {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
  const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href]')
  if (!link || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return undefined
  const isKept = link.target === '_blank' || link.hasAttribute('download')
  const isPage = link.origin === window.location.origin && pageOf(link) !== pageOf(window.location)
  return isPage && !isKept ? link : undefined
}
