import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { useDocumentContext } from '../document-context/document-context'
import type { Change, ChangeListener } from '../live/change-stream'
import { useLiveChanges } from '../live/live-provider'
import { historyKey, type HistoryFilter } from './history-queries'

interface NewChangesProps {
  readonly filter: HistoryFilter
  /** The latest change that is shown; 0 when none is. */
  readonly newest: number
}

/** So many are counted. */
const MAX_COUNTED = 99

/** Tells that changes were made meanwhile, and shows them when asked: what is being read stays where it is. */
export function NewChanges({ filter, newest }: NewChangesProps): ReactNode {
  const { docId } = useDocumentContext()
  const client = useQueryClient()
  const [seqs, setSeqs] = useState<readonly number[]>([])
  const concerns = useConcerns(filter)
  const listener = useMemo<ChangeListener>(
    () => ({
      onChange(change) {
        if (concerns(change)) setSeqs((known) => [...known.slice(-MAX_COUNTED), change.seq])
      },
      // All that is known of the document is fetched anew then.
      onGap: () => setSeqs([]),
    }),
    [concerns],
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

/** Whether a change is one of those that are looked for. */
function useConcerns({ table, row }: HistoryFilter): (change: Change) => boolean {
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
