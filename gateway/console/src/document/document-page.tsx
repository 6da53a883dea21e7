import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, NavLink, Outlet, useParams } from 'react-router'
import { AccessDialog } from '../access/access-dialog'
import { docPath, documentQuery, tablesQuery } from '../api/resources'
import { canEdit, type DocumentContext } from '../document-context/document-context'
import { Button } from '../components/button'
import { Page, useTitle } from '../components/page'
import { ErrorState, Loading } from '../components/states'
import { TableList } from '../structure/table-list'
import { LiveProvider } from '../live/live-provider'

/** The pages of a document besides its tables, by path. */
const tabs = [
  ['sql', 'SQL'],
  ['files', 'Files'],
  ['downloads', 'Downloads'],
  ['formulas', 'Formulas'],
  ['webhooks', 'Webhooks'],
  ['history', 'History'],
  ['api', 'API'],
] as const

/** A document: the list of its tables next to the page selected by the rest of the URL. */
export function DocumentPage(): ReactNode {
  const { docId = '' } = useParams()
  const document = useQuery(documentQuery(docId))
  const tables = useQuery(tablesQuery(docId))
  const error = document.error ?? tables.error
  if (document.data && tables.data)
    return <DocumentFrame docId={docId} document={document.data} tables={tables.data} />
  return (
    <Page title="Document" breadcrumb={<Link to="/">Sites</Link>}>
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

function DocumentFrame(outlet: DocumentContext): ReactNode {
  const { docId, document, tables } = outlet
  const { workspace } = document
  const [isSharing, setSharing] = useState(false)
  const [busyTable, setBusyTable] = useState<string>()
  useTitle(document.name)
  return (
    <main className="document" id="main" tabIndex={-1}>
      <div className="document-head">
        <nav className="above" aria-label="Breadcrumb">
          <Link to={`/sites/${workspace.org.id}`}>{workspace.org.name}</Link>
          <span aria-hidden="true">/</span>
          <span>{workspace.name}</span>
        </nav>
        <div className="document-title">
          <h1>{document.name}</h1>
          <Button onClick={() => setSharing(true)}>Access</Button>
        </div>
        <nav className="tabs" aria-label="Document">
          {tabs.map(([path, name]) => (
            <NavLink key={path} to={path}>
              {name}
            </NavLink>
          ))}
        </nav>
      </div>
      <TableList docId={docId} tables={tables} canEdit={canEdit(document)} onBusy={setBusyTable} />
      <div className="document-main">
        <LiveProvider docId={docId}>
          <Outlet context={{ ...outlet, busyTable } satisfies DocumentContext} />
        </LiveProvider>
      </div>
      {isSharing && (
        <AccessDialog
          kind="document"
          path={docPath(docId)}
          name={document.name}
          onClose={() => setSharing(false)}
        />
      )}
    </main>
  )
}
