import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { orgsQuery } from '../api/resources'
import { TextField } from '../components/field'
import { Page, Section } from '../components/page'
import { Empty, ErrorNote, ErrorState, Loading } from '../components/states'
import { SampleButton } from '../sample/sample-button'
import { FileDrop } from '../import/file-drop'
import { useCurrentUser } from '../session/session-provider'
import { SiteCards } from '../sites/site-cards'
import { DocumentList } from './document-list'
import { findDocuments, isShared, recentDocuments } from './find-documents'
import { NewButtons } from './new-buttons'
import { UnsavedSection } from './unsaved-section'
import { MAX_SITES, useDocuments, type UserDocuments } from './use-documents'

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
      <UnsavedSection />
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
            <p className="note">Only documents of your first {MAX_SITES} sites are listed.</p>
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
