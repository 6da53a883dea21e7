import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '../api/client'
import type { Table } from '../api/resources'
import { FormDialog } from '../components/dialog'
import { ErrorNote, Loading } from '../components/states'
import { formatTime } from '../components/time'
import { useApiMutation } from '../components/use-api-mutation'
import type { Change } from '../history/history-queries'
import {
  restore,
  restorePreviewQuery,
  type RestorePreview,
  type RestoreTarget,
} from './restore-queries'
import { RestoreSummary } from './restore-summary'

/** What is restored to a moment: a table, or the whole document. */
export interface Restored {
  /** The seq of the moment. */
  readonly seq: number
  /** The change of the moment; undefined if it is not loaded. */
  readonly change: Change | undefined
  readonly table?: Table
}

interface RestoreDialogProps {
  readonly docId: string
  readonly restored: Restored
  /** URL of the page to show afterwards. */
  readonly returnsTo: string
  readonly onClose: () => void
}

/** Shows what restoring a moment would change, and restores it on confirmation. */
export function RestoreDialog(props: RestoreDialogProps): ReactNode {
  const { docId, restored, returnsTo, onClose } = props
  const { seq, change, table } = restored
  const what = table ? `Table ${table.id}` : 'The document'
  const number = `change ${seq.toLocaleString()}`
  const message = `${what} was restored to ${number}. You can undo this in the history.`
  const target = { docId, seq, tableRef: table?.fields.tableRef }
  const { preview, error, run } = useRestore(target, message)
  const navigate = useNavigate()
  const submit = async () => {
    await run()
    await navigate(returnsTo)
  }
  return (
    <FormDialog
      title={table ? `Restore table ${table.id}?` : 'Restore the document?'}
      submit={table ? 'Restore table' : 'Restore document'}
      isWide
      canSubmit={Boolean(preview?.change)}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {what} becomes as it was at{' '}
        {change ? `${formatTime(change.time)} (${number})` : `the moment of ${number}`}. Everything
        changed since is undone by one new change, which can be undone too. Attachments stay as they
        are.
      </p>
      {preview && <RestoreSummary {...preview} />}
      {!preview && !error && <Loading what="the changes" />}
      <ErrorNote error={error} />
    </FormDialog>
  )
}

interface Restore {
  /** What would change; undefined until it is loaded. */
  readonly preview: RestorePreview | undefined
  /** Why it cannot be restored. */
  readonly error: unknown
  /** Restores what was previewed. If the document has changed since, it rejects with a new preview instead. */
  readonly run: () => Promise<void>
}

function useRestore(target: RestoreTarget, message: string): Restore {
  const { data, error, isFetching, refetch } = useQuery(restorePreviewQuery(target))
  const { mutate } = useApiMutation(['document', target.docId])
  const run = async () => {
    try {
      await mutate(() => restore(target, data?.etag ?? null), message)
    } catch (thrown) {
      if (!isOutdated(thrown)) throw thrown
      await refetch()
      const reason = 'The document has changed in the meantime. Check the changes again.'
      throw new Error(reason, { cause: thrown })
    }
  }
  if (isFetching) return { preview: undefined, error: null, run }
  return { preview: error ? undefined : data, error, run }
}

const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.status === 412
