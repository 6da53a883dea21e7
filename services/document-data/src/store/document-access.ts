import type { DocumentReader, DocumentWriter, Synchronous, Written } from './document'
import type { Author } from './log/log'

/** The two doors of the document store, for what works in several short steps and keeps nothing open in between. */
export interface DocumentAccess {
  /** Runs a short read on one moment of a document. */
  read<T>(docId: string, fn: (doc: DocumentReader) => T & Synchronous<T>): T
  /** Runs a write; it is on disk when this answers. */
  transact<T>(
    docId: string,
    author: Author,
    fn: (doc: DocumentWriter) => T & Synchronous<T>,
    signal?: AbortSignal,
  ): Promise<Written<T>>
}
