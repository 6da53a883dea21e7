import type { View } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { viewsQuery } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { useToaster } from '../../components/toast'
import { readView, writeView, type GridView } from '../view/grid-view'
import { gridViewOf, isSameView } from './view-settings'

/** The parameter of the address with the id of the view. */
const PARAMETER = 'view'
const NO_VIEWS: readonly View[] = []
const ALL_ROWS: GridView = { sort: [], filter: {} }

/** The views of a table, and the one in the address of the page. */
export interface ChosenView {
  readonly views: readonly View[]
  readonly isLoading: boolean
  /** Loads the views, which a table without one in the address does not need. */
  readonly load: () => void
  /** The id in the address; undefined for none. */
  readonly viewId: number | undefined
  /** The view with this id; undefined for none, or before it is loaded. */
  readonly chosen: View | undefined
  /** The sort order and filter in the address, which may be others than those of the view. */
  readonly shown: GridView
  /** Navigates to a view with its sort order and filter; without one, to all rows. */
  readonly choose: (view: View | undefined) => void
}

/**
 * Reads the view of a table from the address of the page. While the address has the sort order and filter of the view, it
 * follows changes of them. The id of a view that does not exist is removed from the address, and a message says so.
 */
export function useChosenView({ docId, tableId, asOf }: CellContext): ChosenView {
  const [query, setQuery] = useSearchParams()
  const text = query.get(PARAMETER)
  const viewId = text === null ? undefined : Number(text)
  const [isWanted, setWanted] = useState(false)
  const enabled = isWanted || viewId !== undefined
  const found = useQuery({ ...viewsQuery(docId, tableId, asOf), enabled })
  const views = found.data ?? NO_VIEWS
  const chosen = views.find(({ id }) => id === viewId)
  const shown = useMemo(() => readView(query), [query])
  const choose = useCallback(
    (view: View | undefined) =>
      setQuery((before) => {
        const next = writeView(before, view ? gridViewOf(view.fields) : ALL_ROWS)
        if (view) next.set(PARAMETER, String(view.id))
        else next.delete(PARAMETER)
        return next
      }),
    [setQuery],
  )
  useFollowing(chosen, shown, setQuery)
  const isLoaded = found.isSuccess && !found.isFetching
  useRemoval(viewId !== undefined && !chosen && isLoaded, asOf !== undefined, setQuery)
  const load = useCallback(() => setWanted(true), [])
  return { views, isLoading: found.isLoading, load, viewId, chosen, shown, choose }
}

type SetQuery = ReturnType<typeof useSearchParams>[1]

/** Shows the rows of a view that has changed, unless other rows were shown before. */
function useFollowing(chosen: View | undefined, shown: GridView, setQuery: SetQuery): void {
  const last = useRef<View>(undefined)
  useEffect(() => {
    const before = last.current
    last.current = chosen
    if (!chosen || chosen === before || chosen.id !== before?.id) return
    const after = gridViewOf(chosen.fields)
    const wasShown = isSameView(shown, gridViewOf(before.fields))
    if (wasShown && !isSameView(shown, after))
      setQuery((query) => writeView(query, after), { replace: true })
  }, [chosen, shown, setQuery])
}

/** Removes the id of a view that does not exist. What the address sorts and filters by stays. */
function useRemoval(isGone: boolean, isPast: boolean, setQuery: SetQuery): void {
  const toaster = useToaster()
  useEffect(() => {
    if (!isGone) return
    toaster.show(isPast ? 'This view did not exist at this moment.' : 'This view no longer exists.')
    const remove = (query: URLSearchParams) => {
      const next = new URLSearchParams(query)
      next.delete(PARAMETER)
      return next
    }
    setQuery(remove, { replace: true })
  }, [isGone, isPast, toaster, setQuery])
}
