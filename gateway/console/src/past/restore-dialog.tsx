import { PreconditionFailedError } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { docOf } from '../api/sheaf'
import { FormDialog } from '../components/overlays/dialog'
import { ErrorNote, Loading } from '../components/states'
import { formatTime } from '../components/time'
import { useApiMutation } from '../components/use-api-mutation'
import { useLateNavigate } from '../components/use-late-navigate'
import type { Change } from '../history/history-queries'
import type { RestoreScope, RestoreTarget } from './restore-plan'
import { restorePreviewQuery, type RestorePreview } from './restore-queries'
import { RestoreSummary } from './restore-summary'
import { restoreWords } from './restore-words'

/** What is restored to a moment. */
export interface Restored {
  /** The seq of the moment. */
  readonly seq: number
  /** The change of the moment; undefined if it is not loaded. */
  readonly change: Change | undefined
  readonly scope: RestoreScope
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
  const { seq, change, scope } = restored
  const { title, submit, effect, restoredTo, explanation } = restoreWords(scope)
  const number = `change ${seq.toLocaleString()}`
  const message = `${restoredTo} ${number}. You can undo this in the history.`
  const { preview, error, run } = useRestore({ docId, seq, scope }, message)
  const navigate = useLateNavigate()
  const restoreAndLeave = async () => {
    if (!preview) return
    await run(preview)
    await navigate(returnsTo)
  }
  return (
    <FormDialog
      title={title}
      submit={submit}
      isWide
      canSubmit={Boolean(preview?.change)}
      onSubmit={restoreAndLeave}
      onClose={onClose}
    >
      <p>
        {effect} {change ? `${formatTime(change.time)} (${number})` : `the moment of ${number}`}.{' '}
        {explanation}
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
  readonly run: (preview: RestorePreview) => Promise<void>
}

function useRestore(target: RestoreTarget, message: string): Restore {
  const { data, error, isFetching, refetch } = useQuery(restorePreviewQuery(target))
  const { mutate } = useApiMutation(['document', target.docId])
  const run = async ({ plan, etag }: RestorePreview) => {
    try {
      await mutate(() => plan.write(docOf(target.docId), etag), message)
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

const isOutdated = (error: unknown): boolean => error instanceof PreconditionFailedError
