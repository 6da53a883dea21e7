import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Column } from '../../api/resources'
import type { Filter } from '../view/grid-view'
import { useGridViewContext } from '../view/view-context'
import { hasTooMany, MAX_ELEMENTS, valuesKind } from './conditions'
import { conditionsIn, newCondition, readTree, toFilter, type FilterTree } from './filter-tree'

/** The column whose condition is edited first. */
export interface FilterRequest {
  readonly column?: Column
  /** True to select among the values of the column. */
  readonly byValues?: boolean
}

/** Time without a change after which a filter is applied, in milliseconds. */
const QUIET_MS = 300
/** Longer filters could exceed the URL length that proxies accept. */
const MAX_CHARACTERS = 4_000

interface Draft {
  readonly tree: FilterTree
  /** The id of the condition to enter first. */
  readonly focusedId?: number
  /** The filters that the draft may find in the view: the one that it began with or set, and until that is shown the one before. */
  readonly known: readonly string[]
  /** A filter that is only looked at stays as it is written. */
  readonly isEdited?: boolean
}

/** A filter while it is edited. */
export interface FilterDraft {
  readonly tree: FilterTree
  readonly focusedId: number | undefined
  /** Why it is not applied; undefined if it is. */
  readonly fault: string | undefined
  readonly change: (tree: FilterTree, focusedId?: number) => void
}

/**
 * The filter of the view while it is edited. Changes are applied once there is no further one for a moment, and at the latest
 * when the form closes; conditions without values are not. A filter that the view gets otherwise replaces the draft.
 */
export function useFilterDraft(columns: readonly Column[], request: FilterRequest): FilterDraft {
  const { view, setView } = useGridViewContext()
  const current = JSON.stringify(view.filter)
  const [draft, setDraft] = useState(() => begin(view.filter, columns, request))
  const { tree, focusedId, known, isEdited = false } = draft
  if (!known.includes(current)) setDraft({ tree: readTree(view.filter, columns), known: [current] })
  else if (known.length > 1 && known.at(-1) === current) setDraft({ ...draft, known: [current] })

  const filter = toFilter(tree, columns)
  const text = JSON.stringify(filter)
  const fault = faultOf(tree, text)
  const hasApplied = useRef(false)
  const apply = useEffectEvent(() => {
    if (!isEdited || fault !== undefined || known.at(-1) === text) return
    setDraft((now) => ({ ...now, known: [current, text] }))
    // Changes of one form are one step back.
    setView({ ...view, filter }, { replace: hasApplied.current })
    hasApplied.current = true
  })
  useEffect(() => {
    const timer = setTimeout(() => apply(), QUIET_MS)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => {
    const { pathname } = location
    // The filter of a page that is left is none of the next page.
    return () => void (location.pathname === pathname && apply())
  }, [])
  const change = (next: FilterTree, focused?: number) =>
    setDraft((now) => ({ ...now, tree: next, focusedId: focused, isEdited: true }))
  return { tree, focusedId, fault, change }
}

function faultOf({ items }: FilterTree, text: string): string | undefined {
  if (conditionsIn(items).some(hasTooMany))
    return `The filter is not applied: a condition on lists takes at most ${MAX_ELEMENTS} values.`
  return encodeURIComponent(text).length > MAX_CHARACTERS
    ? 'The filter is too long and not applied. Select fewer values.'
    : undefined
}

/** The filter, with a condition of the requested column; an empty one has a condition to begin with. */
function begin(filter: Filter, columns: readonly Column[], request: FilterRequest): Draft {
  const tree = readTree(filter, columns)
  const known = [JSON.stringify(filter)]
  const { column = tree.items.length === 0 ? columns[0] : undefined, byValues = false } = request
  if (!column) return { tree, known }
  const kind = byValues ? valuesKind(column) : undefined
  const present = conditionsIn(tree.items).find(
    (item) => item.colId === column.id && (kind === undefined || item.kind === kind),
  )
  if (present) return { tree, known, focusedId: present.id }
  const added = newCondition(column, kind)
  if (!added) return { tree, known }
  return { tree: { ...tree, items: [...tree.items, added] }, known, focusedId: added.id }
}
