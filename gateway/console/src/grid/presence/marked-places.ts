import type { PresencePlace } from '@sheaf/client'
import { useEffect, type RefObject } from 'react'
import type { Person } from '../../presence/people'
import { usePeople } from '../../presence/presence-provider'

/** The attribute of an element where somebody else is, with their names. */
const NAMES = 'data-people'
/** The attribute with the colour of the first of them. */
const HUE = 'data-hue'

/** A place in a row. */
export type RowPlace = PresencePlace & { readonly rowId: number }

/** The people at one place. */
interface Marked {
  readonly names: string
  readonly hue: Person['hue']
}

/**
 * Marks the elements of places in the rows of a table where others are, as they are drawn.
 * @param selectorOf returns the selector of the element of a place; the same function each time
 */
export function useMarkedPlaces(
  body: RefObject<HTMLElement | null>,
  tableId: string,
  selectorOf: (place: RowPlace) => string,
): void {
  const people = usePeople()
  useEffect(() => {
    const { current: element } = body
    const marks = marksIn(people, tableId, selectorOf)
    if (!element) return
    const mark = () => markElements(element, marks)
    mark()
    if (marks.size === 0) return
    let frame = 0
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    })
    observer.observe(element, {
      childList: true,
      subtree: true,
      attributes: true,
      // A row that was drawn before its data has arrived gets its id later.
      attributeFilter: ['row-id'],
    })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [body, tableId, people, selectorOf])
}

/** The people in a table by the selector of their place, each once. */
function marksIn(
  people: readonly Person[],
  tableId: string,
  selectorOf: (place: RowPlace) => string,
): ReadonlyMap<string, Marked> {
  const marks = new Map<string, Marked>()
  for (const { name, hue, places } of people) {
    const rows = places.filter(
      (place): place is RowPlace => place.tableId === tableId && place.rowId !== undefined,
    )
    for (const selector of new Set(rows.map(selectorOf))) {
      const before = marks.get(selector)
      marks.set(
        selector,
        before ? { ...before, names: `${before.names}, ${name}` } : { names: name, hue },
      )
    }
  }
  return marks
}

function markElements(body: HTMLElement, marks: ReadonlyMap<string, Marked>): void {
  const found = new Map<Element, Marked>()
  for (const [selector, marked] of marks)
    for (const element of body.querySelectorAll(selector)) found.set(element, marked)
  for (const element of body.querySelectorAll(`[${NAMES}]`))
    if (!found.has(element)) {
      element.removeAttribute(NAMES)
      element.removeAttribute(HUE)
    }
  for (const [element, { names, hue }] of found) {
    element.setAttribute(NAMES, names)
    element.setAttribute(HUE, hue)
  }
}
