import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { Button } from '../components/button'
import { Page } from '../components/page'
import { PlainTable } from '../components/plain-table'
import { Empty, ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import { describeCounts } from '../history/describe-change'
import { UndoDialog } from '../history/undo-dialog'
import { keyName, keysQuery } from './api-keys'
import { keyChangesKey, keyChangesQuery, type KeyChange } from './key-changes-queries'

/** What a key of the user has changed in all documents, newest first. Each change can be undone. */
export function KeyChangesPage(): ReactNode {
  const { keyId = '' } = useParams()
  const { data: keys } = useQuery(keysQuery)
  const key = keys?.find(({ id }) => String(id) === keyId)
  return (
    <Page
      title={`Changes of ${key ? `“${keyName(key)}”` : `key ${keyId}`}`}
      breadcrumb={<Link to="/profile">Profile settings</Link>}
    >
      <p className="note">
        Changes in the documents that the key used last, as far as you can edit them.
      </p>
      <KeyChanges keyId={keyId} />
    </Page>
  )
}

function KeyChanges({ keyId }: { readonly keyId: string }): ReactNode {
  const { data, error, ...log } = useInfiniteQuery(keyChangesQuery(keyId))
  const [undone, setUndone] = useState<KeyChange>()
  if (!data)
    return error ? (
      <ErrorState error={error} onRetry={() => void log.refetch()} />
    ) : (
      <Loading what="the changes" />
    )
  const { pages } = data
  return (
    <>
      {error && <ErrorState error={error} onRetry={() => void log.refetch()} />}
      <UnavailableNote names={pages.flatMap(({ unavailable }) => unavailable)} />
      <ChangesTable changes={pages.flatMap(({ changes }) => changes)} onUndo={setUndone} />
      {log.hasNextPage && (
        <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older
        </Button>
      )}
      {undone && (
        <UndoDialog
          docId={undone.docId}
          seq={undone.seq}
          affected={[keyChangesKey(keyId)]}
          onClose={() => setUndone(undefined)}
        >
          In <strong>{undone.docName}</strong>, the key {describe(undone)}.
        </UndoDialog>
      )}
    </>
  )
}

const describe = ({ tables, truncated }: KeyChange) => describeCounts(tables, truncated)

interface UnavailableNoteProps {
  readonly names: readonly { readonly docId: string; readonly docName: string }[]
}

/** Names the documents whose changes are missing. */
function UnavailableNote({ names }: UnavailableNoteProps): ReactNode {
  if (names.length === 0) return null
  const byId = new Map(names.map(({ docId, docName }) => [docId, docName]))
  return (
    <p role="status">
      Documents that cannot be read at the moment are missing: {[...byId.values()].join(', ')}
    </p>
  )
}

interface ChangesTableProps {
  readonly changes: readonly KeyChange[]
  readonly onUndo: (change: KeyChange) => void
}

function ChangesTable({ changes, onUndo }: ChangesTableProps): ReactNode {
  if (changes.length === 0) return <Empty title="No changes" />
  return (
    <PlainTable headers={['Document', 'Change', 'Time', '']}>
      {changes.map((change) => {
        const { docId, docName, seq, time } = change
        const name = `change ${seq.toLocaleString()}`
        return (
          <tr key={`${docId} ${seq}`}>
            <th scope="row">
              <Link to={`/docs/${docId}`}>{docName}</Link>
            </th>
            <td data-label="Change">
              {describe(change)} ·{' '}
              <Link to={`/docs/${docId}/history?before=${seq + 1}`}>{name}</Link>
            </td>
            <td data-label="Time">
              <Time at={time} />
            </td>
            <td>
              <Button aria-label={`Undo ${name} of ${docName}`} onClick={() => onUndo(change)}>
                Undo
              </Button>
            </td>
          </tr>
        )
      })}
    </PlainTable>
  )
}
