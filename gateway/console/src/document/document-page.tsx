import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Link, NavLink, useLocation, useParams } from 'react-router'
import { documentQuery, tablesQuery } from '../api/resources'
import { canEdit, useAsOf } from '../document-context/document-context'
import { Icon } from '../components/icon'
import { Page } from '../components/page'
import { ErrorState, Loading } from '../components/states'
import { TableList } from '../structure/table-list'
import { LiveProvider } from '../live/live-provider'
import { PresenceProvider } from '../presence/presence-provider'
import { DocumentBar } from './document-bar'
import { DocumentMain, type LoadedDocument } from './document-main'
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

function DocumentFrame(frame: LoadedDocument): ReactNode {
  const { docId, document, tables, asOf } = frame
  const [busyTable, setBusyTable] = useState<string>()
  const [isImporting, setImporting] = useState(false)
  const isEditable = canEdit(document) && asOf === undefined
  const side = useRef<HTMLDivElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    // Beyond the edge, the current page could be any other as well.
    const current = side.current?.querySelector('[aria-current="page"]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
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
              canEdit={isEditable}
              onImport={() => setImporting(true)}
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
            <DocumentMain
              {...frame}
              busyTable={busyTable}
              isImporting={isImporting}
              onImported={() => setImporting(false)}
            />
          </div>
        </main>
      </PresenceProvider>
    </LiveProvider>
  )
}
