import { AppError } from '@sheaf/kit/errors'
import type { ChangesPlan } from '../feed/changes-plan'
import type { DocumentReader, DocumentWriter, Synchronous, Written } from '../document'
import { DocumentFiles, writeDurably } from '../sqlite/document-files'
import { FirstEntries, type FirstEntry } from '../log/first-entries'
import type { Author, LogEntry } from '../log/log'
import { tellSqliteError } from '../sqlite/sqlite-errors'
import { AttachmentUpkeep } from './attachment-maintenance'
import { readChanges, type ChangesReply } from './change-reads'
import { readExport, type PlanExport } from './read-export'
import { createDocumentBytes, type NewDocument } from './new-document'
import { OpenDocument } from './open-document'
import { readRecords, type RecordsQuery, type RecordsReply } from './record-reads'
import { adoptSnapshot, Snapshots, type Snapshot, type SnapshotForm } from './snapshots'
import {
  createSurroundings,
  type DocumentSurroundings,
  type SurroundingsOptions,
} from './shared-resources'

/** What openDocumentStore needs. */
export interface DocumentStoreOptions extends SurroundingsOptions {
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
  private readonly around: DocumentSurroundings
  private readonly snapshots: Snapshots
  private readonly attachments: AttachmentUpkeep

  private constructor(
    private readonly files: DocumentFiles,
    private readonly options: DocumentStoreOptions,
  ) {
    this.attachments = new AttachmentUpkeep(this, options.onFileError)
    this.around = createSurroundings(files.dirty, this.uploads, options)
    this.snapshots = new Snapshots(files, {
      program: options.workerProgram,
      onCrash: (error) => options.onWorkerCrash?.(error),
    })
    this.sweep = setInterval(() => this.closeIdle(), Math.max(1000, options.idleMs / 4))
    this.sweep.unref()
  }

  /** Opens the folder of all documents. */
  static async open(options: DocumentStoreOptions): Promise<DocumentStore> {
    return new DocumentStore(await DocumentFiles.open(options.folder), options)
  }

  /** The uploads under way. */
  get uploads(): AttachmentUpkeep['uploads'] {
    return this.attachments.uploads
  }

  /** For calls that wait until a document is written. */
  get watch(): DocumentSurroundings['watch'] {
    return this.around.watch
  }

  /** Documents that are open. */
  get openCount(): number {
    return this.open.size
  }

  /** What has happened since the start; the same object always. */
  get figures(): Readonly<DocumentSurroundings['figures']> {
    return this.around.figures
  }

  /** Makes a document; it is on disk when this answers. Throws `conflict` when it exists, `precondition` when deleted. */
  async create(docId: string, settings: NewDocument, author: Author): Promise<{ seq: number }> {
    const { bytes, first } = createDocumentBytes(settings, author)
    await this.tellDisk(() => this.files.create(docId, (path) => writeDurably(path, bytes)))
    this.first.add(docId, first)
    this.onLogged(docId)
    return { seq: 1 }
  }

  /** Makes a document from the bytes of a snapshot of another one. Throws as `create`, and `invalid` when they are no document. */
  async createFromSnapshot(
    docId: string,
    chunks: AsyncIterable<Uint8Array>,
    author: Author,
  ): Promise<{ seq: number }> {
    return this.createFrom(docId, (path) => adoptSnapshot(path, chunks, author))
  }

  /**
   * Makes a document whose file `write` writes, durably, to the path that it is given; it answers the beginning of its log,
   * or nothing when no entry is to be published. Throws as `create`, and what `write` throws; then nothing is left.
   */
  async createFrom(
    docId: string,
    write: (path: string) => Promise<FirstEntry | undefined>,
  ): Promise<{ seq: number }> {
    let first: FirstEntry | undefined
    await this.tellDisk(() =>
      this.files.create(docId, async (path) => {
        first = await write(path)
      }),
    )
    if (first) this.first.add(docId, first)
    this.onLogged(docId)
    return { seq: 1 }
  }

  /** Removes a document that nobody knows, as if it had never been. */
  async discard(docId: string): Promise<void> {
    this.close(docId)
    await this.tellDisk(() => this.files.discard(docId))
  }

  /**
   * The file of a document as it is at one moment; `use` gets it and takes its bytes. Throws `not_found`, or `unavailable`
   * when busy.
   */
  async *readSnapshot<T>(
    docId: string,
    form: SnapshotForm,
    use: (snapshot: Snapshot) => AsyncIterable<T>,
    signal?: AbortSignal,
  ): AsyncGenerator<T> {
    try {
      yield* this.snapshots.read(this.files.find(docId), form, use, signal)
    } catch (error) {
      const told = tellSqliteError(error)
      if (told !== error) this.options.onFileError(error, docId)
      throw told
    }
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
      this.watch.wake(docId)
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

  /** The epoch of a document and its log position: what its tag is made of. Throws `not_found`. */
  stateOf(docId: string): { readonly epoch: string; readonly seq: number } {
    return this.tell(docId, () => {
      const { epoch, state } = this.use(docId)
      return { epoch, seq: state.seq }
    })
  }

  /**
   * Reads records as JSON: in one piece when there are few, else piece by piece as they are taken, the heavy ones in a
   * thread. Answers at once when it can.
   */
  readRecords(
    docId: string,
    query: RecordsQuery,
    signal?: AbortSignal,
  ): RecordsReply | Promise<RecordsReply> {
    const limits = { signal, maxAgeMs: this.options.maxReadMs }
    const reply = this.tell(docId, () => readRecords(this.use(docId), query, limits))
    return reply instanceof Promise ? this.tellLater(docId, reply) : reply
  }

  /** Reads the log, as it is taken; see `readChanges`. Answers at once when it can. */
  readChanges(
    docId: string,
    plan: ChangesPlan,
    signal?: AbortSignal,
  ): ChangesReply | Promise<ChangesReply> {
    const limits = { signal, maxAgeMs: this.options.maxReadMs }
    const reply = this.tell(docId, () => readChanges(this.use(docId), plan, limits))
    return reply instanceof Promise ? this.tellLater(docId, reply) : reply
  }

  /**
   * Runs a read of a document's file in another process, on a snapshot of its own that must not live long. The signal is
   * aborted when the read has to end, because the document is closed or deleted.
   */
  readOutside<T>(docId: string, run: (path: string, ended: AbortSignal) => Promise<T>): Promise<T> {
    const doc = this.tell(docId, () => this.use(docId))
    return this.tellLater(docId, doc.readOutside(run))
  }

  /** Reads tables in another form, as they are taken; see `readExport`. */
  async readExport(docId: string, plan: PlanExport, signal?: AbortSignal): Promise<RecordsReply> {
    const limits = { signal, maxAgeMs: this.options.maxReadMs }
    return this.tellLater(
      docId,
      this.tell(docId, () => readExport(this.use(docId), plan, limits)),
    )
  }

  /** A new folder for files that are not kept; its user removes it. */
  createScratch(): Promise<string> {
    return this.tellDisk(() => this.files.createScratch())
  }

  /** Removes, some time soon, the bytes of files that no attachment has and no upload under way has a claim on. */
  removeLeftovers(docId: string): void {
    this.open.get(docId)?.upkeep.removeLeftovers()
  }

  /** Ids of the documents that may have entries to publish. */
  listDirty(): string[] {
    return this.files.dirty.list()
  }

  /** The entries to publish next, in order, with those that come until `gathered`; the same ones until they are confirmed. */
  async nextBatch(docId: string, gathered?: Promise<unknown>): Promise<LogEntry[]> {
    const first = this.first.find(docId)
    if (first) return first
    return this.tell(docId, () => this.use(docId).nextBatch(gathered))
  }

  /** The epoch of a document whose entries are published; its file is opened when it has to be. */
  epochOf(docId: string): string {
    return this.first.epochOf(docId) ?? this.stateOf(docId).epoch
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
    this.watch[Symbol.dispose]()
    await this.attachments[Symbol.asyncDispose]()
    // An index that is being built holds the lock that closing needs.
    await Promise.all([...this.open.values()].map((doc) => doc.upkeep.quiet()))
    for (const docId of [...this.open.keys()]) this.close(docId)
    await this.snapshots[Symbol.asyncDispose]()
    await this.around.workers[Symbol.asyncDispose]()
  }

  private use(docId: string): OpenDocument {
    const known = this.open.get(docId)
    const doc = known ?? this.openDocument(docId)
    this.around.figures.countUse(known !== undefined)
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
    const doc = new OpenDocument(docId, path, this.around, {
      logged: () => this.onLogged(docId),
      spoiled: (error) => this.retire(docId, error),
      failed: (error) => this.options.onFileError(error, docId),
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
      doc?.abandon(new AppError('unavailable', 'DISK_ERROR', 'the document file is unavailable'))
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
    for (const doc of this.open.values()) {
      doc.upkeep.tidy()
      doc.upkeep.trimReplies()
      doc.upkeep.removeLeftovers()
      this.attachments.look(doc)
    }
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

  private async tellLater<T>(docId: string, result: Promise<T>): Promise<T> {
    try {
      return await result
    } catch (error) {
      return this.tell(docId, () => {
        throw error
      })
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
