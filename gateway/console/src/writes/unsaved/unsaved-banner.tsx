import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { Link, useMatch } from 'react-router'
import { Button } from '../../components/button'
import { tableUrl } from '../../document-context/document-context'
import { useCurrentUser } from '../../session/session-provider'
import { outbox, type OutboxState } from '../outbox'
import { cellCount, type UnsavedDocument } from '../unsaved-documents'
import { SignOutQuestion } from './sign-out-question'
import { UnsavedDialog } from './unsaved-dialog'

/** Counts, on each page of the console, the entered values that are not stored. */
export function UnsavedBanner(): ReactNode {
  const state = useSyncExternalStore(outbox.watchState, outbox.readState)
  const { waiting, disputes } = state
  const [isOpen, setOpen] = useState(false)
  const { id: userId } = useCurrentUser()
  useEffect(() => outbox.keepFor(userId), [userId])
  useEffect(() => {
    const retry = () => outbox.retry()
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [])
  return (
    <div className={waiting > 0 || disputes.length > 0 ? 'unsaved' : 'unsaved none'}>
      <span role="status">
        {waiting > 0 && <Waiting {...state} />}
        {disputes.length > 0 && <Disputed {...state} />}
      </span>
      {waiting > 0 && <Button onClick={() => outbox.retry()}>Try now</Button>}
      {disputes.length > 0 ? (
        <Button kind="primary" onClick={() => setOpen(true)}>
          Decide…
        </Button>
      ) : (
        waiting > 0 && <Button onClick={() => setOpen(true)}>Show…</Button>
      )}
      {isOpen && <UnsavedDialog state={state} onClose={() => setOpen(false)} />}
      <SignOutQuestion />
    </div>
  )
}

function Waiting({ waiting, documents, isKept }: OutboxState): ReactNode {
  return (
    <>
      {cellCount(waiting)}
      <Where documents={documents} />
      {` ${waiting === 1 ? 'is' : 'are'} not saved, trying again… `}
      {!isKept && 'Keep this page open. '}
    </>
  )
}

function Disputed({ waiting, disputes, documents, isKept }: OutboxState): ReactNode {
  const isFailed = disputes.every(({ error }) => error !== undefined)
  const verb = disputes.length === 1 ? 'is' : 'are'
  return (
    <>
      {cellCount(disputes.length)}
      {waiting === 0 && <Where documents={documents} />}
      {isFailed ? ' could not be saved.' : ` ${verb} not saved: your decision is needed.`}
      {!isKept && waiting === 0 && ' Keep this page open.'}
    </>
  )
}

/** Where the cells are, unless they are in the open document. */
function Where({ documents }: { readonly documents: readonly UnsavedDocument[] }): ReactNode {
  const open = useMatch('/docs/:docId/*')?.params.docId
  const [document] = documents
  if (documents.length > 1) return ` in ${documents.length.toLocaleString()} documents`
  if (!document || document.docId === open) return null
  return (
    <>
      {' in “'}
      <Link to={tableUrl(document.docId, document.tableId)}>{document.docName}</Link>”
    </>
  )
}
