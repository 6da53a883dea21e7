import type { DocumentDescription } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { docPath } from '../api/paths'
import { Button } from '../components/button'
import { lazyComponent } from '../components/lazy-component'
import { Icon } from '../components/icon'
import { useTitle } from '../components/page'
import { canEdit } from '../document-context/document-context'
import { InTopBar } from '../layout/top-bar'
import { PeopleHere } from '../presence/people-here'
import { siteName } from '../sites/site-name'

const AccessDialog = lazyComponent(
  async () => (await import('../access/access-dialog')).AccessDialog,
)

interface DocumentBarProps {
  readonly docId: string
  readonly document: DocumentDescription
}

/** Where a document is, its name and who has access, in the top bar. */
export function DocumentBar({ docId, document }: DocumentBarProps): ReactNode {
  const { name, workspace } = document
  const [isSharing, setSharing] = useState(false)
  useTitle(name)
  return (
    <>
      <InTopBar>
        <nav className="trail" aria-label="Breadcrumb">
          {workspace.org.access === null ? (
            <span>{siteName(workspace.org)}</span>
          ) : (
            <Link to={`/sites/${workspace.org.id}`}>{siteName(workspace.org)}</Link>
          )}
          <span aria-hidden="true">/</span>
          <span>{workspace.name}</span>
          <span aria-hidden="true">/</span>
        </nav>
        <h1>{name}</h1>
        {!canEdit(document) && <span className="badge">View only</span>}
        <PeopleHere docId={docId} />
        <Button onClick={() => setSharing(true)}>
          <Icon name="people" />
          <span className="narrow-hidden">Access</span>
        </Button>
      </InTopBar>
      {isSharing && (
        <AccessDialog
          place={{
            kind: 'document',
            path: docPath(docId),
            name,
            page: `/docs/${docId}`,
            orgId: workspace.org.id,
          }}
          onClose={() => setSharing(false)}
        />
      )}
    </>
  )
}
