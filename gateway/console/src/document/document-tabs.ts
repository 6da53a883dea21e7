import type { DocumentDescription } from '@sheaf/client'
import type { IconName } from '../components/icon'
import { canEdit } from '../document-context/document-context'

/** A page of a document besides its tables. */
export interface DocumentTab {
  /** Relative to the path of the document. */
  readonly path: string
  readonly name: string
  readonly icon: IconName
}

const tabs: readonly (DocumentTab & {
  readonly isFor: (document: DocumentDescription) => boolean
})[] = [
  { path: 'sql', name: 'SQL', icon: 'prompt', isFor: () => true },
  { path: 'files', name: 'Files', icon: 'file', isFor: () => true },
  { path: 'downloads', name: 'Downloads', icon: 'download', isFor: () => true },
  { path: 'formulas', name: 'Formulas', icon: 'sum', isFor: () => true },
  { path: 'webhooks', name: 'Webhooks', icon: 'bolt', isFor: ({ access }) => access === 'owners' },
  { path: 'history', name: 'History', icon: 'clock', isFor: canEdit },
  { path: 'api', name: 'API', icon: 'code', isFor: () => true },
]

/** The pages of a document that the user may open, in their order. */
export function tabsOf(document: DocumentDescription): readonly DocumentTab[] {
  return tabs.filter(({ isFor }) => isFor(document))
}
