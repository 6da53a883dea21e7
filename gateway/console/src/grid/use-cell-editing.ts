import type { CellEditRequestEvent } from 'ag-grid-community'
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
  readonly onEdit: (event: CellEditRequestEvent<Row>) => void
  /** Writes cells. The label says which, to the user. */
  readonly write: (changes: readonly PlacedChange[], label: string) => void
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
  const onEdit = useCallback<CellEditing['onEdit']>(
    ({ data, column, newValue, oldValue, node }) => {
      const shown = columns.find(({ id }) => id === column.getColId())
      // Unchanged cells are not written.
      if (!shown || isSameValue(newValue, oldValue)) return
      const value: unknown = newValue === undefined ? null : newValue
      const place = `row ${(node.rowIndex ?? 0) + 1}`
      const fields = { [shown.id]: value }
      write([{ id: data.id, fields, place }], `${columnName(shown)}, ${place}`)
    },
    [write, columns],
  )
  return { problem, report, write, onEdit }
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
