import type { ReactNode } from 'react'
import { Section } from '../components/page'
import { Empty } from '../components/states'
import { useDocumentContext } from '../document-context/document-context'

/** Shows webhooks to those who may see them, and others why they may not. */
export function OwnersOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const { document } = useDocumentContext()
  return (
    <div className="pane">
      {document.access === 'owners' ? (
        children
      ) : (
        <Section title="Webhooks">
          <Empty title="Only owners see the webhooks of a document">
            <p>They show where its changes are sent, and secrets. Ask an owner for that role.</p>
          </Empty>
        </Section>
      )}
    </div>
  )
}
