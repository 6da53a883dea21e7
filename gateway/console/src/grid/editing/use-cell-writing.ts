import { useCallback, useMemo, useState } from 'react'
import type { Column, Row } from '../../api/resources'
import { describeError } from '../../components/states'
import { useToaster } from '../../components/toast'
import { useIsShown } from '../../components/use-is-shown'
import { useRecordChange } from '../../undo/undo-provider'
import type { EnteredRow, PlacedChange } from '../../writes/table/cells-api'
import type { LiveRows } from '../live-rows/use-live-rows'

/** Writes cells, and has the error of the last write. */
export interface CellWriting {
  /** Error of the last cell change. */
  readonly problem: string | undefined
  /** Shows why cells are not changed; without an argument, removes that. */
  readonly report: (problem?: string) => void
  /** Writes cells. The label says which, to the user. Resolves to false if they are refused at once. */
  readonly write: (changes: readonly PlacedChange[], label: string) => Promise<boolean>
}

interface WritingParts extends Pick<LiveRows, 'writes'> {
  /** Returns a row as it is stored; undefined for one that is not loaded. */
  readonly find: (rowId: number) => Row | undefined
  readonly columns: readonly Column[]
}

/** Writes cells so that it can be undone, and shows why that fails. The function `find` must be memoized. */
export function useCellWriting({ writes, find, columns }: WritingParts): CellWriting {
  const [problem, report] = useState<string>()
  const toaster = useToaster()
  const isShown = useIsShown()
  const record = useRecordChange()
  const colRefs = useMemo(
    () => Object.fromEntries(columns.map(({ id, fields }) => [id, fields.colRef])),
    [columns],
  )
  const write = useCallback<CellWriting['write']>(
    async (changes, label) => {
      report(undefined)
      const entered = changes.map((change): EnteredRow => {
        const before = change.before ?? find(change.id)?.fields ?? {}
        return { ...change, before, colRefs }
      })
      const written = writes.write(entered)
      record(label, written)
      try {
        await written
        return true
      } catch (error) {
        const message = `${label}: ${describeError(error)}`
        if (isShown()) report(message)
        // After leaving the table, the user would otherwise not notice the failure.
        else toaster.showError(new Error(`Could not save ${message}`))
        return false
      }
    },
    [writes, record, find, colRefs, toaster, isShown],
  )
  return { problem, report, write }
}
