import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { orgsQuery } from '../api/resources'
import { Button } from '../components/button'
import { TextField } from '../components/field'
import { Page, Section } from '../components/page'
import { Empty, ErrorNote, ErrorState, Loading } from '../components/states'
import { SampleButton } from '../sample/sample-button'
import { FileDrop } from '../import/file-drop'
import { useCurrentUser } from '../session/session-provider'
import { NewDocumentDialog } from '../sites/new-document-dialog'
import { NewSiteDialog, SiteCards } from '../sites/site-cards'
import { DocumentList } from './document-list'
import { findDocuments, isShared, recentDocuments } from './find-documents'
import { useDocuments, type UserDocuments } from './use-documents'

/** Documents in a list of this page. */
const MAX_SHOWN = 8
const MAX_FOUND = 50

/** The first page: the user's documents by name, time and origin, and their sites. */
export function HomePage(): ReactNode {
  const orgs = useQuery(orgsQuery)
  const found = useDocuments()
  const [text, setText] = useState('')
  return (
    <Page title="Home" actions={<NewButtons {...found} />}>
      {orgs.error && <ErrorState error={orgs.error} onRetry={() => void orgs.refetch()} />}
      {!orgs.error && !orgs.data && <Loading what="your sites" />}
      {orgs.data && (
        <>
          <TextField
            label="Find a document"
            type="search"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <ErrorNote error={found.error} />
          {found.isPartial && (
            <p className="note">Only documents of your first 20 sites are listed.</p>
          )}
          {text.trim() === '' ? <Overview {...found} /> : <Found text={text} {...found} />}
          <Section title="Sites">
            {orgs.data.length === 0 && (
              <Empty title="You have no sites">
                <p>Create a team site to get started.</p>
              </Empty>
            )}
            <SiteCards orgs={orgs.data} />
          </Section>
        </>
      )}
      {found.workspaces.length > 0 && <FileDrop workspaces={found.workspaces} />}
    </Page>
  )
}

/** Buttons that create a document or a site. */
function NewButtons({ workspaces, isLoading }: UserDocuments): ReactNode {
  const [opened, setOpened] = useState<'document' | 'site'>()
  const close = () => setOpened(undefined)
  const canCreate = workspaces.length > 0
  return (
    <>
      {canCreate && (
        <Button kind="primary" onClick={() => setOpened('document')}>
          New document
        </Button>
      )}
      <Button kind={canCreate || isLoading ? 'plain' : 'primary'} onClick={() => setOpened('site')}>
        New team site
      </Button>
      {opened === 'document' && <NewDocumentDialog workspaces={workspaces} onClose={close} />}
      {opened === 'site' && <NewSiteDialog onClose={close} />}
    </>
  )
}

function Found(props: UserDocuments & { readonly text: string }): ReactNode {
  const documents = findDocuments(props.documents, props.text, MAX_FOUND)
  const empty = props.isLoading
    ? 'Searching…'
    : `No document has “${props.text.trim()}” in its name.`
  return <DocumentList title="Found" documents={documents} empty={empty} />
}

function Overview({ documents, workspaces, isLoading }: UserDocuments): ReactNode {
  const pinned = documents.filter(({ document }) => document.isPinned)
  const user = useCurrentUser()
  const shared = documents.filter((placed) => isShared(placed, user.id))
  const empty = isLoading ? 'Loading…' : 'No documents yet.'
  const [workspace] = workspaces
  if (documents.length === 0 && !isLoading && workspace)
    return (
      <Empty title="No documents yet">
        <p>Create one, drop a file here to import it, or begin with a sample.</p>
        <SampleButton workspaceId={workspace.id} />
      </Empty>
    )
  return (
    <>
      {pinned.length > 0 && <DocumentList title="Pinned" documents={pinned} empty="" />}
      <DocumentList
        title="Recently changed"
        documents={recentDocuments(documents, MAX_SHOWN)}
        empty={empty}
      />
      {shared.length > 0 && (
        <DocumentList
          title="Shared with me"
          documents={recentDocuments(shared, MAX_FOUND)}
          empty=""
        />
      )}
    </>
  )
}
