import type { CellEditRequestEvent, CellEditingStartedEvent } from 'ag-grid-community'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Column, Row } from '../api/resources'
import { columnName } from '../formats/column'
import { isSameValue } from '../formats/value'
import { describeError } from '../components/states'
import { useToaster } from '../components/toast'
import { useRecordChange } from '../undo/undo-provider'
import type { EnteredRow, PlacedChange } from '../writes/cells-api'
import type { GridRows } from './use-grid-rows'

/** Handlers that edit cells, and the error of the last edit. */
export interface CellEditing {
  /** Error of the last cell change. */
  readonly problem: string | undefined
  /** Shows why cells are not changed; without an argument, removes that. */
  readonly report: (problem?: string) => void
  readonly onOpen: (event: CellEditingStartedEvent<Row>) => void
  readonly onEdit: (event: CellEditRequestEvent<Row>) => void
  readonly onClose: () => void
  /** Writes cells. The label says which, to the user. */
  readonly write: (changes: readonly PlacedChange[], label: string) => void
}

/** A cell when its editor was opened. */
interface OpenedCell {
  readonly rowId: number
  readonly colId: string
  /** The value that the editor shows. */
  readonly value: unknown
  /** The stored value; undefined while an earlier one that was entered here is being stored. */
  readonly before: PlacedChange['before']
}

/** Writes cells, and shows why that fails. */
export function useCellEditing(
  { writes, store }: GridRows,
  columns: readonly Column[],
): CellEditing {
  const [problem, report] = useState<string>()
  const toaster = useToaster()
  const isShown = useIsShown()
  const record = useRecordChange()
  const write = useCallback(
    (changes: readonly PlacedChange[], label: string) => {
      report(undefined)
      const entered = changes.map((change): EnteredRow => {
        const before = change.before ?? store.find(change.id)?.fields ?? {}
        return { ...change, before }
      })
      const written = writes.write(entered)
      record(label, written)
      written.catch((error: unknown) => {
        const message = `${label}: ${describeError(error)}`
        if (isShown()) report(message)
        // After leaving the table, the user would otherwise not notice the failure.
        else toaster.showError(new Error(`Could not save ${message}`))
      })
    },
    [writes, record, store, toaster, isShown],
  )
  const opened = useRef<OpenedCell>(undefined)
  const onOpen = useCallback<CellEditing['onOpen']>(
    ({ data, column, value }) => {
      if (!data) return
      const colId = column.getColId()
      const fields = store.find(data.id)?.fields
      const isStored = fields && colId in fields && writes.stateOf(data.id, colId) === undefined
      const before = isStored ? { [colId]: fields[colId] } : undefined
      opened.current = { rowId: data.id, colId, value: value as unknown, before }
    },
    [store, writes],
  )
  const onClose = useCallback(() => {
    opened.current = undefined
  }, [])
  const onEdit = useCallback<CellEditing['onEdit']>(
    ({ data, column, newValue, oldValue, node }) => {
      const shown = columns.find(({ id }) => id === column.getColId())
      // While the editor was open, somebody else may have changed the cell.
      const cell = opened.current?.colId === shown?.id ? opened.current : undefined
      // Unchanged cells are not written.
      if (!shown || isSameValue(newValue, cell ? cell.value : oldValue)) return
      const value: unknown = newValue === undefined ? null : newValue
      const place = `row ${(node.rowIndex ?? 0) + 1}`
      const fields = { [shown.id]: value }
      const change = { id: cell?.rowId ?? data.id, fields, place, before: cell?.before }
      write([change], `${columnName(shown)}, ${place}`)
    },
    [write, columns],
  )
  return { problem, report, write, onOpen, onEdit, onClose }
}

/** Returns a function that reports whether the component is still mounted. */
function useIsShown(): () => boolean {
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return useCallback(() => isShown.current, [])
}
