import type { DocumentDescription } from '@sheaf/client'
import { canEdit } from '../document-context/document-context'

/** A page of a document besides its tables. */
export interface DocumentTab {
  /** Relative to the path of the document. */
  readonly path: string
  readonly name: string
}

const tabs: readonly (DocumentTab & {
  readonly isFor: (document: DocumentDescription) => boolean
})[] = [
  { path: 'sql', name: 'SQL', isFor: () => true },
  { path: 'files', name: 'Files', isFor: () => true },
  { path: 'downloads', name: 'Downloads', isFor: () => true },
  { path: 'formulas', name: 'Formulas', isFor: () => true },
  { path: 'webhooks', name: 'Webhooks', isFor: ({ access }) => access === 'owners' },
  { path: 'history', name: 'History', isFor: canEdit },
  { path: 'api', name: 'API', isFor: () => true },
]

/** The pages of a document that the user may open, in their order. */
export function tabsOf(document: DocumentDescription): readonly DocumentTab[] {
  return tabs.filter(({ isFor }) => isFor(document))
}
