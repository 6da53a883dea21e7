import type { Change } from '@sheaf/client'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { useDocumentContext } from '../document-context/document-context'
import type { ChangeListener } from '../live/change-stream'
import { useLiveChanges } from '../live/live-provider'
import { historyKey, type HistoryFilter } from './history-queries'

interface NewChangesProps {
  readonly filter: HistoryFilter
  /** Sequence number of the latest change shown; 0 if there is none. */
  readonly newest: number
}

/** Higher counts are not exact. */
const MAX_COUNTED = 99

/** Announces new changes with a button that shows them, so that the list does not move while it is read. */
export function NewChanges({ filter, newest }: NewChangesProps): ReactNode {
  const { docId } = useDocumentContext()
  const client = useQueryClient()
  const [seqs, setSeqs] = useState<readonly number[]>([])
  const isMatch = useFilter(filter)
  const listener = useMemo<ChangeListener>(
    () => ({
      onChange(change) {
        if (isMatch(change)) setSeqs((known) => [...known.slice(-MAX_COUNTED), change.seq])
      },
      // All data of the document is refetched then.
      onGap: () => setSeqs([]),
    }),
    [isMatch],
  )
  useLiveChanges(listener)
  const count = seqs.filter((seq) => seq > newest).length
  return (
    <p className="new-changes" role="status">
      {count > 0 && (
        <Button onClick={() => void client.invalidateQueries({ queryKey: historyKey(docId) })}>
          {describeCount(count)}
        </Button>
      )}
    </p>
  )
}

function describeCount(count: number): string {
  if (count > MAX_COUNTED) return `More than ${MAX_COUNTED} new changes`
  return count === 1 ? '1 new change' : `${count} new changes`
}

/** Returns a function that tests whether a change matches the filter. */
function useFilter({ table, row }: HistoryFilter): (change: Change) => boolean {
  const { tables } = useDocumentContext()
  const ref = tables.find(({ id }) => id === table)?.fields.tableRef ?? Number(table)
  return useMemo(() => {
    const rowId = Number(row)
    return ({ operations, truncated }) =>
      table === '' ||
      truncated === true ||
      operations.some(
        (operation) =>
          operation.tableRef === ref &&
          (row === '' || ('rowIds' in operation && operation.rowIds.includes(rowId))),
      )
  }, [ref, table, row])
}
