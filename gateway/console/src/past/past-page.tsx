import { SheafError } from '@sheaf/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Table } from '../api/resources'
import { Empty, ErrorState, Loading } from '../components/states'
import { tableRefUrl } from '../document-context/document-context'
import { oldestSeqOf } from './past-queries'
import { PastBar } from './past-bar'

interface PastPageProps {
  readonly docId: string
  /** The seq of the shown moment, as in the URL. */
  readonly asOf: string
  /** The tables at that moment, or those shown before while they are loading. */
  readonly tables: readonly Table[]
  readonly isLoading: boolean
  /** Why the moment cannot be shown. */
  readonly error: unknown
  readonly onRetry: () => void
  /** The table. */
  readonly children: ReactNode
}

const SEQ = /^[1-9]\d{0,14}$/

/** A page of the document as of a former moment. */
export function PastPage(props: PastPageProps): ReactNode {
  const { docId, asOf, tables, isLoading, error, onRetry, children } = props
  if (!SEQ.test(asOf) || error)
    return <MomentError docId={docId} asOf={asOf} error={error} onRetry={onRetry} />
  return (
    <div className="past">
      <PastBar docId={docId} seq={Number(asOf)} tables={tables} />
      <div className="past-page">{isLoading ? <Loading what="the moment" /> : children}</div>
    </div>
  )
}

/** Says why a moment cannot be shown, with the way back. */
function MomentError(props: Pick<PastPageProps, 'docId' | 'asOf' | 'error' | 'onRetry'>) {
  const { docId, asOf, error, onRetry } = props
  const oldest = oldestSeqOf(error)
  const status = error instanceof SheafError ? error.status : undefined
  const back = (
    <p className="actions">
      {oldest !== undefined && (
        <Link className="button" to={tableRefUrl(docId, undefined, oldest)}>
          View the oldest moment
        </Link>
      )}
      <Link className="button primary" to={tableRefUrl(docId)}>
        Back to the present
      </Link>
    </p>
  )
  if (status === 403)
    return (
      <Empty title="Only editors can view former moments">
        <p>They contain earlier values of cells. Ask an owner for the editor role.</p>
        {back}
      </Empty>
    )
  if (status === 400 || !SEQ.test(asOf))
    return (
      <Empty title={`This document has no moment “${asOf}”`}>
        <p>
          {oldest === undefined
            ? 'A moment is named by the number of a change, as in the history.'
            : `Its history starts with change ${oldest.toLocaleString()}. Select a moment in the history.`}
        </p>
        {back}
      </Empty>
    )
  return (
    <div className="pane">
      <ErrorState error={error} onRetry={onRetry} />
      {back}
    </div>
  )
}
