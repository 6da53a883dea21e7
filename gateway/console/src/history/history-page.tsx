import { useInfiniteQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { ApiError } from '../api/client'
import { Button } from '../components/button'
import { Section } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { canEdit, useDocumentContext } from '../document-context/document-context'
import { ChangeItem } from './change-item'
import { historyQuery, type Change, type HistoryFilter } from './history-queries'
import { HistoryFilters } from './history-filters'
import { NewChanges } from './new-changes'
import { UndoDialog } from './undo-dialog'

/** Who changed what in the document and when, newest first; each change can be undone. */
export function HistoryPage(): ReactNode {
  const { document } = useDocumentContext()
  return (
    <div className="pane">
      {canEdit(document) ? (
        <History />
      ) : (
        <Section title="History">
          <Empty title="Only who may edit a document sees its history">
            <p>It tells what cells held before. Ask an owner for the role of an editor.</p>
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
  const rowError = faultOf(log.error, 'rowId')
  const shown = `${filter.table}/${filter.row}`
  return (
    <Section
      title="History"
      about="Who changed what, and when. Undoing a change makes a new one."
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
        />
      )}
      {log.hasNextPage && (
        <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </Section>
  )
}

interface BeforeNoteProps {
  readonly before: string
  readonly onLatest: () => void
}

/** Says that the latest changes are left out, where they are. */
function BeforeNote({ before, onLatest }: BeforeNoteProps): ReactNode {
  if (before === '') return null
  return (
    <p className="actions">
      <span className="note">Changes before {before}</span>
      <Button onClick={onLatest}>Show the latest</Button>
    </p>
  )
}

/** What a refusal says of a parameter. */
function faultOf(error: unknown, parameter: string): string | undefined {
  return error instanceof ApiError && error.details.parameter === parameter
    ? error.message
    : undefined
}

interface ChangeListProps {
  readonly changes: readonly Change[]
  readonly hasMore: boolean
}

function ChangeList({ changes, hasMore }: ChangeListProps): ReactNode {
  const [undone, setUndone] = useState<Change>()
  if (changes.length === 0)
    return hasMore ? (
      <Empty title="Nothing was found yet">
        <p>The newest part of the log has been searched. Go on with older changes.</p>
      </Empty>
    ) : (
      <Empty title="Nothing was changed here" />
    )
  return (
    <>
      <ol className="changes">
        {changes.map((change) => (
          <ChangeItem key={change.seq} change={change} onUndo={setUndone} />
        ))}
      </ol>
      {undone && <UndoDialog change={undone} onClose={() => setUndone(undefined)} />}
    </>
  )
}
