import { useOutletContext } from 'react-router'
import type { DocumentDescription, Table } from '../api/resources'

/** The open document, as provided to its pages by the outlet of the document page. */
export interface DocumentContext {
  /** The document id as used in the URL: the integer id, the urlId or the UUID. */
  readonly docId: string
  readonly document: DocumentDescription
  readonly tables: readonly Table[]
  /** The table being renamed or deleted, which must not be read in the meantime. */
  readonly busyTable?: string
}

/** Returns the open document. For pages of a document only. */
export const useDocumentContext = (): DocumentContext => useOutletContext<DocumentContext>()

/** Returns true if the user can edit the contents of a document. */
export const canEdit = ({ access }: DocumentDescription): boolean =>
  access === 'owners' || access === 'editors'
