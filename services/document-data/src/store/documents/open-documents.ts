import { AppError, toAppError } from '@sheaf/kit/errors'
import type { FirstEntries } from '../log/first-entries'
import type { DocumentFiles } from '../sqlite/document-files'
import { translateSqliteError } from '../sqlite/sqlite-errors'
import type { DocumentReader } from '../document'
import type { ReadLimits } from '../reads/record-chunks'
import { OpenDocument } from './open-document'
import type { SharedResources } from './shared-resources'
import { readWhile } from './long-read'

/** Limits of the open documents, and the report of their errors. */
export interface OpenDocumentsOptions {
  /** Documents open at once; exceeded only while all of them are busy. */
  readonly maxOpen: number
  /** Milliseconds without use after which a document is closed. */
  readonly idleMs: number
  /** Called with every file error before it is translated for the caller. */
  readonly onFileError: (error: unknown, docId: string) => void
}

/** Dependencies of OpenDocuments. */
export interface OpenDocumentsParts {
  readonly files: DocumentFiles
  readonly shared: SharedResources
  readonly firstEntries: FirstEntries
  /** Called when entries were added to the log of a document. */
  readonly logged: (docId: string) => void
  /** Called for every open document at intervals. */
  readonly swept: (doc: OpenDocument) => void
}

/**
 * The documents whose files are open. A document is opened when it is used, and closed when it is idle or its
 * slot is needed. Every read and write of a document passes through here, where it is counted and its errors
 * are translated.
 */
export class OpenDocuments implements AsyncDisposable {
  /** Least recently used first. */
  private readonly open = new Map<string, OpenDocument>()
  private readonly removing = new Set<string>()
  /** Opened by `look`: that opening already counts as the use that follows it. */
  private readonly looked = new WeakSet<OpenDocument>()
  private readonly sweep: NodeJS.Timeout

  constructor(
    private readonly parts: OpenDocumentsParts,
    private readonly options: OpenDocumentsOptions,
  ) {
    this.sweep = setInterval(() => this.sweepAll(), Math.max(1000, options.idleMs / 4))
    this.sweep.unref()
  }

  /** Number of open documents. */
  get size(): number {
    return this.open.size
  }

  /** As `close`, after the running long reads have ended, or so many milliseconds. */
  async closeAfterReads(docId: string, reason: AppError, ms: number): Promise<void> {
    await this.open.get(docId)?.pool.settle(ms)
    await this.close(docId, reason)
  }

  /** Ids of the open documents. */
  get ids(): string[] {
    return [...this.open.keys()]
  }

  /** Of each open document, the number of columns with cells that formulas still have to compute. */
  get unfinishedColumns(): number[] {
    return [...this.open.values()].map(({ unfinishedColumns }) => unfinishedColumns)
  }

  /** Runs a synchronous use of a document. Throws `not_found` when it does not exist. */
  run<T>(docId: string, use: (doc: OpenDocument) => T): T {
    try {
      return use(this.enter(docId))
    } catch (error) {
      throw this.translate(error, docId)
    }
  }

  /** Runs an asynchronous use of a document. Rejects with `not_found` when it does not exist. */
  async runAsync<T>(docId: string, use: (doc: OpenDocument) => Promise<T>): Promise<T> {
    try {
      return await use(this.enter(docId))
    } catch (error) {
      throw this.translate(error, docId)
    }
  }

  /** See DocumentStore.readWhile. */
  readWhile<T>(
    docId: string,
    limits: ReadLimits,
    run: (reader: DocumentReader) => Promise<T>,
  ): Promise<T> {
    return this.runAsync(docId, (doc) => readWhile(doc, limits, run))
  }

  /** Runs a use whose result is often available at once; returns a promise only when `use` does. */
  runMaybeAsync<T>(docId: string, use: (doc: OpenDocument) => T | Promise<T>): T | Promise<T> {
    const result = this.run(docId, use)
    if (!(result instanceof Promise)) return result
    return result.catch((error: unknown) => {
      throw this.translate(error, docId)
    })
  }

  /**
   * Reads in-memory state of a document before it is used; counts as a use only when the file had to be
   * opened.
   */
  look<T>(docId: string, read: (doc: OpenDocument) => T): T {
    try {
      const known = this.open.get(docId)
      if (known) return read(this.touch(known))
      const doc = this.openDocument(docId)
      this.parts.shared.figures.countUse(false)
      this.looked.add(doc)
      return read(doc)
    } catch (error) {
      throw this.translate(error, docId)
    }
  }

  /** The document if it is open. */
  find(docId: string): OpenDocument | undefined {
    return this.open.get(docId)
  }

  /** Translates an error of SQLite or the disk for callers, and reports the original. */
  translate(error: unknown, docId: string): unknown {
    const translated = translateSqliteError(error)
    if (translated !== error) this.options.onFileError(error, docId)
    return translated
  }

  /**
   * Closes a document; waiting writes run first, and later ones fail with the reason. A document that is not busy is
   * closed when the call returns.
   */
  async close(docId: string, reason?: AppError): Promise<void> {
    const doc = this.open.get(docId)
    if (!doc) return
    try {
      // Until its last write has ended the document stays listed: a second connection would meet its lock.
      const finished = doc.close(reason)
      if (finished) await finished
    } catch (error) {
      this.options.onFileError(error, docId)
    } finally {
      if (this.open.get(docId) === doc) this.open.delete(docId)
    }
  }

  /**
   * Closes a document for removal; waiting calls, and calls that arrive while `remove` runs, fail with the
   * reason.
   */
  async closeForRemoval(
    docId: string,
    reason: AppError,
    remove: () => Promise<void>,
  ): Promise<void> {
    this.removing.add(docId)
    try {
      const doc = this.open.get(docId)
      this.open.delete(docId)
      doc?.abandon(reason)
      await remove()
    } finally {
      this.removing.delete(docId)
    }
  }

  /** Closes a document at once; calls that wait fail with the reason. */
  evict(docId: string, reason: AppError): void {
    const doc = this.open.get(docId)
    this.open.delete(docId)
    try {
      doc?.abandon(reason)
    } catch (error) {
      this.options.onFileError(error, docId)
    }
    this.parts.shared.watch.wake(docId)
  }

  /** Waits for maintenance, runs the waiting writes and closes all documents. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.sweep)
    // An index that is being built holds the lock that closing needs.
    await Promise.all([...this.open.values()].map((doc) => doc.maintenance.finish()))
    await Promise.all([...this.open.keys()].map((docId) => this.close(docId)))
  }

  private enter(docId: string): OpenDocument {
    const { figures } = this.parts.shared
    const known = this.open.get(docId)
    if (!known) {
      figures.countUse(false)
      return this.openDocument(docId)
    }
    if (!this.looked.delete(known)) figures.countUse(true)
    return this.touch(known)
  }

  /** Makes the document the most recently used, which is the end of the map. */
  private touch(doc: OpenDocument): OpenDocument {
    this.open.delete(doc.docId)
    this.open.set(doc.docId, doc)
    doc.usedAt = Date.now()
    return doc
  }

  private openDocument(docId: string): OpenDocument {
    const { files, shared, firstEntries, logged } = this.parts
    shared.replicator?.requireReady(docId)
    const path = files.find(docId)
    if (this.removing.has(docId))
      throw new AppError('precondition', 'DOCUMENT_DELETED', 'the document was deleted')
    const doc = new OpenDocument(docId, path, shared, {
      logged: () => logged(docId),
      spoiled: (error) => this.retire(docId, error),
      failed: (error) => this.workFailed(error, docId),
    })
    doc.confirmPublished(firstEntries.take(docId))
    this.touch(doc)
    if (this.open.size > this.options.maxOpen) this.closeOldest(docId)
    return doc
  }

  /** Background work of a document failed. That its log cannot be reached, or goes on elsewhere, is no fault of the file. */
  private workFailed(error: unknown, docId: string): void {
    const isRefused = this.parts.shared.replicator && toAppError(error)?.code === 'unavailable'
    if (!isRefused) this.options.onFileError(error, docId)
  }

  /** Closes a document whose connections are in doubt; the next use opens it again. */
  private retire(docId: string, cause: unknown): void {
    this.options.onFileError(cause, docId)
    const reason = new AppError('unavailable', 'DISK_ERROR', 'the document file is unavailable')
    this.evict(docId, reason)
  }

  private closeOldest(except: string): void {
    for (const [docId, doc] of this.open) {
      if (this.open.size <= this.options.maxOpen) return
      if (doc.idle && docId !== except) void this.close(docId)
    }
  }

  private sweepAll(): void {
    for (const doc of this.open.values()) {
      doc.maintenance.dropUnusedIndexes()
      doc.maintenance.trimReplies()
      doc.maintenance.removeOrphanedContents()
      doc.maintenance.derivePending()
      doc.maintenance.deriveAged()
      this.parts.swept(doc)
    }
    const before = Date.now() - this.options.idleMs
    for (const [docId, doc] of this.open) {
      if (doc.usedAt > before) return
      if (doc.idle) void this.close(docId)
    }
  }
}
