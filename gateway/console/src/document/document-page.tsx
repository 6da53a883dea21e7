import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Link, NavLink, Outlet, useLocation, useParams } from 'react-router'
import { documentQuery, tablesQuery } from '../api/resources'
import {
  canEdit,
  OpenDocument,
  useAsOf,
  type DocumentContext,
} from '../document-context/document-context'
import { Icon } from '../components/icon'
import { Page } from '../components/page'
import { ErrorState, Loading } from '../components/states'
import { TableList } from '../structure/table-list'
import { LiveProvider } from '../live/live-provider'
import { PresenceProvider } from '../presence/presence-provider'
import { PastPage } from '../past/past-page'
import { UndoProvider } from '../undo/undo-provider'
import { DocumentBar } from './document-bar'
import { tabsOf } from './document-tabs'

/** A document: the list of its tables next to the page selected by the rest of the URL. */
export function DocumentPage(): ReactNode {
  const { docId = '' } = useParams()
  const document = useQuery(documentQuery(docId))
  const asOf = useAsOf()
  const tables = useQuery({
    ...tablesQuery(docId, asOf),
    // The frame stays while another moment of the document is loading.
    placeholderData: (before, query) => (query?.queryKey[1] === docId ? before : undefined),
  })
  const error = document.error ?? tables.error
  const isPast = asOf !== undefined
  if (document.data && (tables.data || (isPast && tables.error)))
    return (
      <DocumentFrame
        docId={docId}
        document={document.data}
        tables={tables.data ?? []}
        asOf={asOf}
        isLoading={tables.isPlaceholderData}
        error={tables.data ? null : tables.error}
        onRetry={() => void tables.refetch()}
      />
    )
  return (
    <Page title="Document" breadcrumb={<Link to="/">Home</Link>}>
      {error ? (
        <ErrorState
          error={error}
          onRetry={() => void Promise.all([document.refetch(), tables.refetch()])}
        />
      ) : (
        <Loading what="the document" />
      )}
    </Page>
  )
}

interface DocumentFrameProps extends DocumentContext {
  /** True while the tables of another moment are shown, until those of this one are loaded. */
  readonly isLoading: boolean
  /** Why the tables of a former moment cannot be shown. */
  readonly error: unknown
  readonly onRetry: () => void
}

function DocumentFrame({ isLoading, error, onRetry, ...outlet }: DocumentFrameProps): ReactNode {
  const { docId, document, tables, asOf } = outlet
  const [busyTable, setBusyTable] = useState<string>()
  const side = useRef<HTMLDivElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    // Beyond the edge, the current page could be any other as well.
    const current = side.current?.querySelector('[aria-current="page"]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  const past = { docId, tables, isLoading, error, onRetry }
  return (
    <LiveProvider docId={docId} isPaused={asOf !== undefined}>
      <PresenceProvider docId={docId}>
        <main className="document" id="main" tabIndex={-1}>
          <DocumentBar docId={docId} document={document} />
          <div ref={side} className="document-side">
            <TableList
              docId={docId}
              tables={tables}
              asOf={asOf}
              canEdit={canEdit(document) && asOf === undefined}
              onBusy={setBusyTable}
            />
            <nav className="pages" aria-label="Document">
              {tabsOf(document).map(({ path, name, icon }) => (
                <NavLink key={path} to={path}>
                  <Icon name={icon} />
                  {name}
                </NavLink>
              ))}
            </nav>
          </div>
          <div className="document-main">
            <UndoProvider docId={docId} isPaused={asOf !== undefined}>
              <OpenDocument value={{ ...outlet, busyTable }}>
                {asOf !== undefined && (
                  <PastPage {...past} asOf={asOf}>
                    <Outlet />
                  </PastPage>
                )}
                {asOf === undefined && (isLoading ? <Loading what="the document" /> : <Outlet />)}
              </OpenDocument>
            </UndoProvider>
          </div>
        </main>
      </PresenceProvider>
    </LiveProvider>
  )
}
