import { useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { useToaster } from '../../components/toast'
import { columnName } from '../../formats/column'
import { isSameValue } from '../../formats/value'
import type { PlacedChange } from '../../writes/table/cells-api'
import type { TableWrites } from '../../writes/table/table-writes'
import type { ReadPage } from '../rows/rows-api'
import { readShownCell } from '../rows/shown-cell'
import type { RowStore } from '../rows/row-store'
import { RowPanel } from './row-panel'
import { useShownRow } from './shown-row'
import type { RowPlace, RowsOnScreen } from './use-row-place'
import { useRowSteps } from './use-row-steps'

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
  /** True if the first field gets the focus. */
  readonly entersFields: boolean
  readonly place: RowPlace
  readonly onStep: (rowId: number) => void
  readonly onClose: () => void
}

/** The panel of a row: reads it, and writes what is entered in it. */
export function OpenedPanel(props: OpenedPanelProps): ReactNode {
  const { context, parts, rowId, entersFields, place, onClose } = props
  const { columns, shown, store, writes, write, remove } = parts
  const steps = useRowSteps(props)
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
    const enter = (value: unknown, replaced: PlacedChange['before']) => {
      const fields = { [colId]: value ?? null }
      const change = { id: rowId, fields, before: replaced, place: where }
      write([change], `${columnName(column)}, ${where}`)
    }
    return {
      enter: (value: unknown) => {
        if (!isSameValue(value, shownValue)) enter(value, before)
      },
      enterLate: (change: (now: unknown) => unknown, known: unknown) => {
        const cell = readShownCell({ store, writes }, rowId, colId, known)
        enter(change(cell.value), cell.before)
      },
    }
  }
  return (
    <RowPanel
      context={context}
      rowId={rowId}
      row={row}
      entersFields={entersFields}
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
