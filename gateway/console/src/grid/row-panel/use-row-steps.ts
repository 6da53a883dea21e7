import { useRef, useSyncExternalStore } from 'react'
import { useToaster } from '../../components/toast'
import type { ReadPage } from '../rows/rows-api'
import type { RowStore } from '../rows/row-store'
import { findNeighbor, type ReadWindow, type Step } from './neighbor'
import type { RowSteps } from './row-steps'
import type { RowPlace, RowsOnScreen } from './use-row-place'

/** Limit for reading the neighbors of a row. */
const READ_MS = 60_000

interface SteppedRow {
  readonly rowId: number
  readonly parts: {
    readonly store: RowStore
    readonly readPage: ReadPage
    readonly screen: RowsOnScreen
  }
  readonly place: RowPlace
  readonly onStep: (rowId: number) => void
}

/** Goes from a row to its neighbors in the view, also to those that are not loaded. */
export function useRowSteps({ rowId, parts, place, onStep }: SteppedRow): RowSteps {
  const { store, readPage, screen } = parts
  const { rows: total } = useSyncExternalStore(store.watchState, store.readState)
  const toaster = useToaster()
  const isBusy = useRef(false)
  const { index } = place
  const read: ReadWindow = async (first, count) => {
    const known = Array.from({ length: count }, (_, offset) => store.at(first + offset))
    const loaded = known.filter((row) => row !== undefined)
    if (loaded.length === count) return loaded
    const request = { cursor: '', offset: first, limit: count, isCounted: false }
    return (await readPage(request, AbortSignal.timeout(READ_MS))).rows
  }
  const go = async (step: Step) => {
    if (index === undefined || isBusy.current) return
    isBusy.current = true
    try {
      const next = await findNeighbor({ id: rowId, index }, step, { read, places: store.places })
      if (!next) return
      place.set(next)
      screen.scrollTo(next.index)
      onStep(next.id)
    } catch (error) {
      toaster.showError(error)
    } finally {
      isBusy.current = false
    }
  }
  const shownIndex = index === undefined ? undefined : store.places.numberOf(index) - 1
  return { index: shownIndex, total, go: (step) => void go(step) }
}
