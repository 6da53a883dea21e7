import type { DocumentReader, DocumentWriter, Synchronous, Written } from './document'
import type { Author } from './log/log'

/** Short reads and writes of documents, for work in several steps that keeps nothing open in between. */
export interface DocumentAccess {
  /** Runs a short read on one moment of a document. */
  read<T>(docId: string, fn: (doc: DocumentReader) => T & Synchronous<T>): T
  /** Runs a write; it is on disk when the promise resolves. */
  transact<T>(
    docId: string,
    author: Author,
    fn: (doc: DocumentWriter) => T & Synchronous<T>,
    signal?: AbortSignal,
  ): Promise<Written<T>>
}
