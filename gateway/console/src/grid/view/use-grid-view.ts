import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { readView, writeView, type GridView } from './grid-view'

/** What rows are shown, as the address tells it; who sets it changes the address. */
export function useGridView(): readonly [GridView, (view: GridView) => void] {
  const [query, setQuery] = useSearchParams()
  const view = useMemo(() => readView(query), [query])
  const setView = useCallback(
    (next: GridView) => setQuery((before) => writeView(before, next)),
    [setQuery],
  )
  return [view, setView]
}
