import { SheafError } from '@sheaf/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../components/button'
import { Section } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { canEdit, useDocumentContext } from '../document-context/document-context'
import { useCurrentUser } from '../session/session-provider'
import { ChangeItem } from './change-item'
import { authorOf, describeChange } from './describe-change'
import { historyQuery, type Change, type HistoryFilter } from './history-queries'
import { HistoryFilters } from './history-filters'
import { NewChanges } from './new-changes'
import { UndoDialog } from './undo-dialog'

/** The changes of the document, newest first. Each can be undone. */
export function HistoryPage(): ReactNode {
  const { document } = useDocumentContext()
  return (
    <div className="pane">
      {canEdit(document) ? (
        <History />
      ) : (
        <Section title="History">
          <Empty title="Only editors can see the history">
            <p>It contains earlier values of cells. Ask an owner for the editor role.</p>
          </Empty>
        </Section>
      )}
    </div>
  )
}

function History(): ReactNode {
  const { docId } = useDocumentContext()
  const [query, setQuery] = useSearchParams()
  const value = (name: string) => query.get(name) ?? ''
  const filter = { table: value('table'), row: value('row'), before: value('before') }
  const change = (next: Partial<HistoryFilter>) =>
    setQuery(Object.entries(next).filter(([, text]) => text !== ''))
  const log = useInfiniteQuery(historyQuery(docId, filter))
  const rowError = errorOf(log.error, 'rowId')
  const shown = `${filter.table}/${filter.row}`
  return (
    <Section
      title="History"
      description="Who changed what, and when. Undoing a change creates a new change."
      actions={
        log.data &&
        filter.before === '' && (
          <NewChanges
            key={shown}
            filter={filter}
            newest={log.data.pages[0]?.changes[0]?.seq ?? 0}
          />
        )
      }
    >
      <HistoryFilters key={shown} filter={filter} rowError={rowError} onChange={change} />
      <BeforeNote before={filter.before} onLatest={() => change({ ...filter, before: '' })} />
      {log.error && rowError === undefined && (
        <ErrorState error={log.error} onRetry={() => void log.refetch()} />
      )}
      {!log.data && !log.error && <Loading what="the history" />}
      {log.data && (
        <ChangeList
          changes={log.data.pages.flatMap(({ changes }) => changes)}
          hasMore={log.hasNextPage}
          startsWithLatest={Object.values(filter).every((text) => text === '')}
        />
      )}
      {log.hasNextPage && (
        <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older
        </Button>
      )}
    </Section>
  )
}

interface BeforeNoteProps {
  readonly before: string
  readonly onLatest: () => void
}

/** Indicates that the latest changes are filtered out. */
function BeforeNote({ before, onLatest }: BeforeNoteProps): ReactNode {
  if (before === '') return null
  return (
    <p className="actions">
      <span className="note">Showing changes before {before}</span>
      <Button onClick={onLatest}>Show latest</Button>
    </p>
  )
}

/** Returns the error message about a query parameter. */
function errorOf(error: unknown, parameter: string): string | undefined {
  return error instanceof SheafError && error.details.parameter === parameter
    ? error.message
    : undefined
}

interface ChangeListProps {
  readonly changes: readonly Change[]
  readonly hasMore: boolean
  /** True if the first change is the latest of the document. */
  readonly startsWithLatest: boolean
}

function ChangeList({ changes, hasMore, startsWithLatest }: ChangeListProps): ReactNode {
  const { docId } = useDocumentContext()
  const { id } = useCurrentUser()
  const [undone, setUndone] = useState<Change>()
  if (changes.length === 0)
    return hasMore ? (
      <Empty title="No changes found so far">
        <p>Only the newest part of the log was searched. Show older changes to continue.</p>
      </Empty>
    ) : (
      <Empty title="No changes" />
    )
  return (
    <>
      <ol className="changes">
        {changes.map((change, index) => (
          <ChangeItem
            key={change.seq}
            change={change}
            isLatest={startsWithLatest && index === 0}
            onUndo={setUndone}
          />
        ))}
      </ol>
      {undone && (
        <UndoDialog docId={docId} seq={undone.seq} onClose={() => setUndone(undefined)}>
          <strong>{authorOf(undone, id)}</strong> {describeChange(undone)}.
        </UndoDialog>
      )}
    </>
  )
}
