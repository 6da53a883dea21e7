import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState, type ReactNode } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { type Table, tablesQuery } from '../api/resources'
import { Button } from '../components/button'
import { Time } from '../components/time'
import { tableRefUrl, tableUrl } from '../document-context/document-context'
import { authorOf } from '../history/describe-change'
import { useCurrentUser } from '../session/session-provider'
import { MomentSlider } from './moment-slider'
import { changeQuery } from './past-queries'
import { RestoreDialog, type Restored } from './restore-dialog'

interface PastBarProps {
  readonly docId: string
  /** The seq of the shown moment. */
  readonly seq: number
  /** The tables at that moment. */
  readonly tables: readonly Table[]
}

/** Above a table as of a former moment: the moment, a slider to select another one, and what can be restored. */
export function PastBar({ docId, seq, tables }: PastBarProps): ReactNode {
  const { tableId } = useParams()
  const { id: userId } = useCurrentUser()
  const [restored, setRestored] = useState<Restored>()
  const change = useQuery(changeQuery(docId, seq)).data ?? undefined
  const table = tables.find(({ id }) => id === tableId)
  const tableRef = table?.fields.tableRef
  const pick = usePick(docId, tableId, tableRef)
  const author = change && authorOf(change, userId)
  return (
    <section className="past-bar" aria-label="Former moment">
      <p className="past-what">
        You are viewing this document as of{' '}
        <strong>{change ? <Time at={change.time} /> : `change ${seq.toLocaleString()}`}</strong>
        {change && ` (change ${seq.toLocaleString()} by ${author === 'You' ? 'you' : author})`}
      </p>
      <MomentSlider docId={docId} seq={seq} change={change} onPick={pick} />
      <div className="actions">
        {table && (
          <Button onClick={() => setRestored({ seq, change, scope: { kind: 'table', table } })}>
            Restore this table
          </Button>
        )}
        <Button onClick={() => setRestored({ seq, change, scope: { kind: 'document' } })}>
          Restore document
        </Button>
        <Link className="button primary" to={tableRefUrl(docId, tableRef)}>
          Back to the present
        </Link>
      </div>
      {restored && (
        <RestoreDialog
          docId={docId}
          restored={restored}
          returnsTo={tableRefUrl(docId, tableRef)}
          onClose={() => setRestored(undefined)}
        />
      )}
    </section>
  )
}

/** Returns a function that shows the table at another moment, where its id may be another. */
function usePick(docId: string, tableId: string | undefined, tableRef: number | undefined) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  return useCallback(
    async (seq: number, signal: AbortSignal) => {
      const asOf = String(seq)
      // The page shows the error, if there is one.
      const tables = await client.fetchQuery(tablesQuery(docId, asOf)).catch(() => [])
      if (signal.aborted) return
      const id = tables.find(({ fields }) => fields.tableRef === tableRef)?.id ?? tableId
      const search = new URLSearchParams(query)
      search.set('asOf', asOf)
      const pathname = id === undefined ? tableRefUrl(docId) : tableUrl(docId, id)
      await navigate({ pathname, search: search.toString() }, { replace: true })
    },
    [client, navigate, query, docId, tableId, tableRef],
  )
}
