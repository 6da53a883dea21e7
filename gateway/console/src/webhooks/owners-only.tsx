import type { ReactNode } from 'react'
import { Section } from '../components/page'
import { Empty } from '../components/states'
import { useDocumentContext } from '../document-context/document-context'

/** Shows its children to owners, and an explanation to others. */
export function OwnersOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const { document } = useDocumentContext()
  return (
    <div className="pane">
      {document.access === 'owners' ? (
        children
      ) : (
        <Section title="Webhooks">
          <Empty title="Only owners can see webhooks">
            <p>They contain receiver URLs and secrets. Ask an owner for the owner role.</p>
          </Empty>
        </Section>
      )}
    </div>
  )
}
