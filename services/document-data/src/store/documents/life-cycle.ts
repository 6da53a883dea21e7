import { AppError } from '@sheaf/kit/errors'
import type { FirstEntries, FirstEntry } from '../log/first-entries'
import type { Author } from '../log/log'
import { writeDurably, type DocumentFiles } from '../sqlite/document-files'
import { newestVersion } from '../sqlite/migrations/index'
import { translateDiskErrors } from '../sqlite/sqlite-errors'
import { createDocumentBytes, type NewDocument } from './new-document'
import type { OpenDocuments } from './open-documents'
import { KeptDocuments, type KeptDocumentsParts } from './kept-documents'
import { adoptSnapshot } from './adopted-file'

/** Dependencies of DocumentLifeCycle. */
export interface LifeCycleParts extends KeptDocumentsParts {
  readonly files: DocumentFiles
  readonly documents: OpenDocuments
  readonly firstEntries: FirstEntries
  /** Called when a new document has entries to publish. */
  readonly logged: (docId: string) => void
  /** Called when a document was removed. */
  readonly removed: (docId: string) => void
}

/** Creates and removes documents. */
export class DocumentLifeCycle implements AsyncDisposable {
  /** Documents that were removed and are kept for a while. */
  readonly kept: KeptDocuments

  constructor(private readonly parts: LifeCycleParts) {
    this.kept = new KeptDocuments(parts.files, parts)
  }

  /**
   * Creates a document; it is on disk when the call resolves. Throws `conflict` when it exists,
   * `precondition` when it was deleted.
   */
  async create(docId: string, settings: NewDocument, author: Author): Promise<{ seq: number }> {
    const form = { format: this.newFormat, term: this.parts.replicator?.firstTerm }
    const { bytes, first } = createDocumentBytes(settings, author, form)
    const write = async (path: string) => {
      await writeDurably(path, bytes)
      return first
    }
    return this.place(docId, write, { isEmpty: true })
  }

  /**
   * Creates a document from the bytes of a snapshot of another one. Throws as `create`, and `invalid` when
   * the bytes are not a document.
   */
  async createFromSnapshot(
    docId: string,
    chunks: AsyncIterable<Uint8Array>,
    author: Author,
  ): Promise<{ seq: number }> {
    return this.createFrom(docId, (path) => adoptSnapshot(path, chunks, author, this.newFormat))
  }

  /** Format of new documents; an imported one that has a newer format keeps it. */
  get newFormat(): number {
    return this.parts.replicator?.writeFormat ?? newestVersion
  }

  /**
   * Creates a document whose file `write` writes, durably, to the given path. `write` resolves to the first
   * entry of the log, or to nothing when no entry is to be published. The file is also the base of the document.
   * Throws like `create`, and what `write` throws; then no document remains.
   */
  createFrom(
    docId: string,
    write: (path: string) => Promise<FirstEntry | undefined>,
  ): Promise<{ seq: number }> {
    return this.place(docId, write, { isEmpty: false })
  }

  private async place(
    docId: string,
    write: (path: string) => Promise<FirstEntry | undefined>,
    options: { readonly isEmpty: boolean },
  ): Promise<{ seq: number }> {
    const { files, firstEntries, replicator, logged } = this.parts
    let first: FirstEntry | undefined
    let isStored = false
    try {
      await translateDiskErrors(() =>
        files.create(
          docId,
          async (path) => {
            first = await write(path)
            await replicator?.create({ docId, path, first, ...options })
            isStored = true
          },
          options,
        ),
      )
    } catch (error) {
      if (isStored) await replicator?.discard(docId)
      throw error
    }
    if (first) firstEntries.add(docId, first)
    logged(docId)
    return { seq: 1 }
  }

  /** Removes a document that was never announced, leaving no tombstone. */
  async discard(docId: string): Promise<void> {
    await this.parts.documents.close(docId)
    await this.parts.replicator?.discard(docId)
    await translateDiskErrors(() => this.parts.files.discard(docId))
  }

  /**
   * Removes a document for good. Waiting calls fail with `precondition`.
   * @param keeps true to keep what `kept.write` needs, if documents are kept at all
   */
  async remove(docId: string, keeps = false): Promise<void> {
    const { files, documents, firstEntries, replicator, removed } = this.parts
    files.requireId(docId)
    const isKept = keeps && this.parts.keptDays > 0
    const isInLog = await replicator?.remove(docId, isKept)
    const reason = new AppError('precondition', 'DOCUMENT_DELETED', 'the document was deleted')
    firstEntries.take(docId)
    try {
      await documents.closeForRemoval(docId, reason, () =>
        // The log and the store have what a replicated document needs.
        translateDiskErrors(() => files.remove(docId, isKept && !isInLog)),
      )
    } finally {
      removed(docId)
      this.kept.look()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kept[Symbol.asyncDispose]()
  }

  /** Creates a folder for temporary files, on the disk of the documents; the caller removes it. */
  createScratch(): Promise<string> {
    return translateDiskErrors(() => this.parts.files.createScratch())
  }

  /** Free bytes on the disk of the documents. */
  freeBytes(): Promise<number> {
    return this.parts.files.freeBytes()
  }
}
