import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { readView, writeView, type GridView } from './grid-view'
import type { SetView } from './view-context'

/** The view in the query string of the page; setting it navigates. */
export function useGridView(): readonly [GridView, SetView] {
  const [query, setQuery] = useSearchParams()
  const view = useMemo(() => readView(query), [query])
  const setView = useCallback<SetView>(
    (next, options) => setQuery((before) => writeView(before, next), options),
    [setQuery],
  )
  return [view, setView]
}
