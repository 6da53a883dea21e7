import { AppError } from '@sheaf/kit/errors'
import type { ReadQuery } from '../query/read-query'
import type { DocumentReader, DocumentWriter, Synchronous } from './document'
import { DocumentFiles } from './document-files'
import { FirstEntries } from './first-entries'
import type { Author, LogEntry } from './log'
import { createDocumentBytes, type NewDocument } from './new-document'
import { OpenDocument, type Written } from './open-document'
import { isSmall, readAtOnce, readInChunks } from './record-chunks'
import { tellSqliteError } from './sqlite-errors'

/** What openDocumentStore needs. */
export interface DocumentStoreOptions {
  /** Folder of all documents. */
  readonly folder: string
  /** Documents open at once; more than this only while all of them are busy. */
  readonly maxOpen: number
  /** A document that is not used for this long is closed. */
  readonly idleMs: number
  /** Longest life of the snapshot of a read, in milliseconds. */
  readonly maxReadMs: number
  /** Told of every file that fails; what callers are told says less. */
  readonly onFileError: (error: unknown, docId: string) => void
}

/** What a read of records selects. */
export interface RecordsQuery {
  /** Table id, or its ref as decimal text. */
  readonly tableId: string
  /** True to include hidden columns. */
  readonly hidden: boolean
  /** Builds the query once the table is known. */
  readonly build: (table: DocumentTable) => ReadQuery
}

type DocumentTable = ReturnType<DocumentReader['schema']['getReadable']>

/** The answer of a read: a JSON document in chunks, all of one moment. */
export interface RecordsReply {
  /** Log position of that moment. */
  readonly seq: number
  /** Must be iterated, or returned, to its end. */
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>
}

/**
 * The documents of this instance. It has two doors, `read` and `transact`; what goes through them is synchronous.
 * Documents are opened when used and closed when others need their place; a file is never made by opening.
 */
export class DocumentStore implements AsyncDisposable {
  /** Called when a document has log entries to publish. */
  onLogged: (docId: string) => void = () => {}
  /** Least recently used first. */
  private readonly open = new Map<string, OpenDocument>()
  private readonly removing = new Set<string>()
  private readonly first = new FirstEntries()
  private readonly sweep: NodeJS.Timeout

  private constructor(
    private readonly files: DocumentFiles,
    private readonly options: DocumentStoreOptions,
  ) {
    this.sweep = setInterval(() => this.closeIdle(), Math.max(1000, options.idleMs / 4))
    this.sweep.unref()
  }

  /** Opens the folder of all documents. */
  static async open(options: DocumentStoreOptions): Promise<DocumentStore> {
    return new DocumentStore(await DocumentFiles.open(options.folder), options)
  }

  /** Documents that are open. */
  get openCount(): number {
    return this.open.size
  }

  /** Makes a document; it is on disk when this answers. Throws `conflict` when it exists, `precondition` when deleted. */
  async create(docId: string, settings: NewDocument, author: Author): Promise<{ seq: number }> {
    const { bytes, entry } = createDocumentBytes(settings, author)
    await this.tellDisk(() => this.files.create(docId, bytes))
    this.first.add(docId, entry)
    this.onLogged(docId)
    return { seq: 1 }
  }

  /** Removes a document for good. What waits for it fails with `precondition`. */
  async remove(docId: string): Promise<void> {
    this.files.requireId(docId)
    const reason = new AppError('precondition', 'DOCUMENT_DELETED', 'the document was deleted')
    this.removing.add(docId)
    this.first.take(docId)
    try {
      const doc = this.open.get(docId)
      this.open.delete(docId)
      doc?.abandon(reason)
      await this.tellDisk(() => this.files.remove(docId))
    } finally {
      this.removing.delete(docId)
    }
  }

  /** Runs a short read on one moment of a document. Throws `not_found` when there is no such document. */
  read<T>(docId: string, fn: (doc: DocumentReader) => T & Synchronous<T>): T {
    return this.tell(docId, () => this.use(docId).read<T>(fn))
  }

  /**
   * Runs a write. It answers when the write and its log entry are on disk; when `fn` throws, nothing of it is. A call
   * that has ended before its turn, by the signal, does not run.
   */
  async transact<T>(
    docId: string,
    author: Author,
    fn: (doc: DocumentWriter) => T & Synchronous<T>,
    signal?: AbortSignal,
  ): Promise<Written<T>> {
    return await this.tell(docId, () => this.use(docId).transact<T>(author, fn, signal))
  }

  /** Reads records as JSON: in one piece when there are few, else piece by piece as they are taken. */
  readRecords(docId: string, query: RecordsQuery, signal?: AbortSignal): RecordsReply {
    return this.tell(docId, () => {
      const open = this.use(docId)
      const small = open.read((doc) => {
        const table = doc.schema.getReadable(query.tableId)
        const selection = { table, hidden: query.hidden, query: query.build(table) }
        const whole = isSmall(doc.connection, selection)
        return { selection, whole: whole ? readAtOnce(doc.connection, selection) : undefined }
      })
      const { seq } = open.state
      if (small.whole) return { seq, chunks: [small.whole] }
      const loan = open.pool.borrow()
      try {
        // The snapshot begins with the first read, here: nothing is written in between.
        loan.connection.prepare('BEGIN').run()
        loan.connection.pluck('SELECT max(seq) FROM _sheaf_log').get()
      } catch (error) {
        loan.release()
        throw error
      }
      const limits = { signal, maxAgeMs: this.options.maxReadMs }
      return { seq, chunks: readInChunks(loan, small.selection, limits) }
    })
  }

  /** Ids of the documents that may have entries to publish. */
  listDirty(): string[] {
    return this.files.dirty.list()
  }

  /** The entries of a document to publish next, in order; the same ones until they are confirmed. */
  async nextBatch(docId: string): Promise<LogEntry[]> {
    const first = this.first.find(docId)
    if (first) return first
    return this.tell(docId, () => this.use(docId).nextBatch())
  }

  /** NATS has confirmed a document's entries up to this one. */
  confirmPublished(docId: string, seq: number): void {
    if (this.first.confirm(docId)) return
    this.tell(docId, () => this.use(docId).confirmPublished(seq))
  }

  /** Takes a document's dirty mark away when all is published. True when it is gone. */
  async settle(docId: string): Promise<boolean> {
    if (this.first.isConfirmed(docId)) {
      this.files.dirty.clear(docId)
      return true
    }
    return this.tell(docId, () => this.use(docId).settle())
  }

  /** Forgets the dirty mark of a document that is not there any more. */
  forget(docId: string): void {
    this.files.dirty.clear(docId)
  }

  /** Bytes that are free where documents lie. */
  freeBytes(): Promise<number> {
    return this.files.freeBytes()
  }

  /** Runs the writes that wait and closes all documents. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.sweep)
    for (const docId of [...this.open.keys()]) this.close(docId)
    await Promise.resolve()
  }

  private use(docId: string): OpenDocument {
    const known = this.open.get(docId)
    const doc = known ?? this.openDocument(docId)
    // The end of the map is the most recently used.
    if (known) this.open.delete(docId)
    this.open.set(docId, doc)
    doc.usedAt = Date.now()
    if (!known && this.open.size > this.options.maxOpen) this.closeOldest(docId)
    return doc
  }

  private openDocument(docId: string): OpenDocument {
    const path = this.files.find(docId)
    if (this.removing.has(docId))
      throw new AppError('precondition', 'DOCUMENT_DELETED', 'the document was deleted')
    const doc = new OpenDocument(docId, path, this.files.dirty, {
      logged: () => this.onLogged(docId),
      spoiled: (error) => this.retire(docId, error),
    })
    doc.confirmPublished(this.first.take(docId))
    return doc
  }

  /** Closes a document whose connections cannot be trusted; the next use opens it again. */
  private retire(docId: string, cause: unknown): void {
    this.options.onFileError(cause, docId)
    const doc = this.open.get(docId)
    this.open.delete(docId)
    try {
      doc?.abandon(
        new AppError('unavailable', 'DISK_ERROR', 'the file of the document cannot be used'),
      )
    } catch (error) {
      this.options.onFileError(error, docId)
    }
  }

  private close(docId: string): void {
    const doc = this.open.get(docId)
    this.open.delete(docId)
    try {
      doc?.close()
    } catch (error) {
      this.options.onFileError(error, docId)
    }
  }

  private closeOldest(except: string): void {
    for (const [docId, doc] of this.open) {
      if (this.open.size <= this.options.maxOpen) return
      if (doc.idle && docId !== except) this.close(docId)
    }
  }

  private closeIdle(): void {
    const before = Date.now() - this.options.idleMs
    for (const [docId, doc] of this.open) {
      if (doc.usedAt > before) return
      if (doc.idle) this.close(docId)
    }
  }

  private tell<T>(docId: string, run: () => T): T {
    try {
      return run()
    } catch (error) {
      const told = tellSqliteError(error)
      if (told !== error) this.options.onFileError(error, docId)
      throw told
    }
  }

  private async tellDisk<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      throw tellSqliteError(error)
    }
  }
}
