import { useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { NewDocumentDialog } from '../sites/new-document-dialog'
import { NewSiteDialog } from '../sites/site-cards'
import type { UserDocuments } from './use-documents'

/** Buttons that create a document or a site. */
export function NewButtons({ workspaces, isLoading }: UserDocuments): ReactNode {
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
