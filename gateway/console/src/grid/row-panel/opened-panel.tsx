import { useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { useToaster } from '../../components/toast'
import { columnName } from '../../formats/column'
import { isSameValue } from '../../formats/value'
import type { PlacedChange } from '../../writes/cells-api'
import type { TableWrites } from '../../writes/table-writes'
import type { ReadPage } from '../rows/rows-api'
import type { RowStore } from '../rows/row-store'
import { findNeighbor, type ReadWindow, type Step } from './neighbor'
import { RowPanel } from './row-panel'
import type { RowSteps } from './row-steps'
import { useShownRow } from './shown-row'
import type { RowPlace, RowsOnScreen } from './use-row-place'

/** Limit for reading the neighbors of a row. */
const READ_MS = 60_000

/** What the panel of a row needs of the view beside it. */
export interface PanelParts {
  readonly columns: readonly Column[]
  /** The columns that the view shows, in their order. */
  readonly shown: readonly Column[]
  readonly store: RowStore
  readonly readPage: ReadPage
  readonly writes: TableWrites
  /** Writes cells. The label says which, to the user. */
  readonly write: (changes: readonly PlacedChange[], label: string) => void
  readonly remove: (rowIds: readonly number[]) => Promise<void>
  readonly screen: RowsOnScreen
}

interface OpenedPanelProps {
  readonly context: CellContext
  readonly parts: PanelParts
  readonly rowId: number
  readonly place: RowPlace
  readonly onStep: (rowId: number) => void
  readonly onClose: () => void
}

/** The panel of a row: reads it, and writes what is entered in it. */
export function OpenedPanel(props: OpenedPanelProps): ReactNode {
  const { context, parts, rowId, place, onClose } = props
  const { columns, shown, store, writes, write, remove } = parts
  const steps = useSteps(props)
  const toaster = useToaster()
  const known = (id: number) => store.find(id)
  const read = useShownRow(context, rowId, { columns, writes, known })
  const { row: stored } = read
  const isPresent = context.asOf === undefined
  const row = stored && isPresent ? writes.show(stored) : stored
  const stateOf = isPresent ? writes.stateOf : () => undefined
  const [seen, setSeen] = useState<number>()
  if (stored && seen !== rowId) setSeen(rowId)
  const startEdit = (column: Column) => {
    const colId = column.id
    const shownValue = row?.fields[colId]
    // What was entered before may still be on its way: the write knows what it replaces.
    const isStored = stored && colId in stored.fields && stateOf(rowId, colId) === undefined
    const before = isStored ? { [colId]: stored.fields[colId] } : undefined
    const where =
      place.index === undefined
        ? `row with id ${rowId}`
        : `row ${store.places.numberOf(place.index)}`
    return (value: unknown) => {
      if (isSameValue(value, shownValue)) return
      const fields = { [colId]: value ?? null }
      write([{ id: rowId, fields, before, place: where }], `${columnName(column)}, ${where}`)
    }
  }
  return (
    <RowPanel
      context={context}
      rowId={rowId}
      row={row}
      isDeleted={row === null && seen === rowId}
      error={read.error}
      onRetry={read.retry}
      shown={shown}
      hidden={columns.filter((column) => !shown.includes(column))}
      stateOf={stateOf}
      onEdit={startEdit}
      steps={steps}
      onDelete={() => {
        onClose()
        remove([rowId]).catch(toaster.showError)
      }}
      onClose={onClose}
    />
  )
}

/** Goes from a row to its neighbors in the view, also to those that are not loaded. */
function useSteps({ rowId, parts, place, onStep }: OpenedPanelProps): RowSteps {
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
