import type { DocumentAccess } from '../document-access'
import type { DocumentReader, DocumentWriter, OnRevoked, Synchronous, Written } from '../document'
import type { ChangesPlan } from '../feed/changes-plan'
import { FirstEntries } from '../log/first-entries'
import type { Author } from '../log/log'
import { DocumentFiles } from '../sqlite/document-files'
import { AttachmentMaintenance } from './attachment-maintenance'
import { readChanges, type ChangesReply } from './change-reads'
import { DocumentLifeCycle } from './life-cycle'
import { OpenDocuments, type OpenDocumentsOptions } from './open-documents'
import { PublishingPort } from './publishing-port'
import { readExport, type PlanExport } from './read-export'
import {
  CallerLimits,
  readRecords,
  type ReadCaller,
  type RecordsQuery,
  type RecordsReply,
} from './record-reads'
import {
  createSharedResources,
  type SharedResources,
  type SharedResourcesOptions,
} from './shared-resources'
import { Snapshots } from './snapshots'

/** Options of DocumentStore.open. */
export interface DocumentStoreOptions extends SharedResourcesOptions, OpenDocumentsOptions {
  /** Folder of all documents. */
  readonly folder: string
  /** Longest life of the snapshot of a read, in milliseconds. */
  readonly maxReadMs: number
  /** Days for which removed documents are kept, so that they can be made again; 0, the default, for not at all. */
  readonly keptDays?: number
}

/**
 * Reads and writes the documents of this instance. The callbacks of `read` and `transact` are synchronous.
 */
export class DocumentStore implements DocumentAccess, AsyncDisposable {
  /** Threads, budgets, counters and running uploads. */
  readonly shared: SharedResources
  /** Creates and removes documents. */
  readonly lifeCycle: DocumentLifeCycle
  /** Copies of whole documents. */
  readonly snapshots: Snapshots
  /** The logs of documents, for their publisher. */
  readonly publishing: PublishingPort
  private readonly documents: OpenDocuments
  private readonly attachments: AttachmentMaintenance

  private constructor(
    /** The files of documents on this instance. */
    readonly files: DocumentFiles,
    private readonly options: DocumentStoreOptions,
  ) {
    const firstEntries = new FirstEntries()
    const logged = (docId: string) => this.publishing.onLogged(docId)
    this.attachments = new AttachmentMaintenance(this, options.onFileError)
    this.shared = createSharedResources(files.unpublished, options)
    this.documents = new OpenDocuments(
      {
        files,
        shared: this.shared,
        firstEntries,
        logged,
        swept: (doc) => {
          if (!options.isPast) this.attachments.look(doc)
        },
      },
      options,
    )
    const { documents, shared } = this
    shared.replicator = options.replicate?.({
      files,
      keptDays: options.keptDays ?? 0,
      logged,
      close: (docId, reason, ms) => documents.closeAfterReads(docId, reason, ms),
      evict: (docId, reason) => documents.evict(docId, reason),
      translate: (error, docId) => documents.translate(error, docId),
      isOpen: (docId) => documents.find(docId) !== undefined,
      wake: (docId) => this.shared.watch.wake(docId),
      resume: (docId) => documents.look(docId, () => undefined),
      copyFile: (path, to) => this.snapshots.duplicate(path, to),
      verifyFile: (path) => this.snapshots.verify(path),
    })
    this.lifeCycle = new DocumentLifeCycle({
      files,
      documents,
      firstEntries,
      replicator: shared.replicator,
      logged,
      removed: (docId) => this.shared.watch.wake(docId),
      duplicate: (path, to) => this.snapshots.duplicate(path, to),
      ...options,
      keptDays: options.keptDays ?? 0,
    })
    this.publishing = new PublishingPort({
      documents,
      firstEntries,
      replicator: shared.replicator,
      markers: files.unpublished,
    })
    this.snapshots = new Snapshots(files, {
      isPast: options.isPast,
      program: options.workerProgram,
      onCrash: (error) => options.onWorkerCrash?.(error),
      translate: (error, docId) => documents.translate(error, docId),
      prepare: (docId) => this.prepare(docId),
    })
  }

  /** Opens the folder of all documents. */
  static async open(options: DocumentStoreOptions): Promise<DocumentStore> {
    return new DocumentStore(await DocumentFiles.open(options.folder), options)
  }

  /** True when documents are kept outside of this instance too. */
  get isReplicated(): boolean {
    return this.shared.replicator !== undefined
  }

  /**
   * Makes a document ready for use on this instance, before any other call for it; undefined when it is, and always
   * without replication. Rejects as `Replicator.prepare`.
   * @param assignment number of the assignment of the document that the caller knows
   */
  prepare(docId: string, assignment?: number): Promise<void> | undefined {
    return this.shared.replicator?.prepare(docId, assignment)
  }

  /** See Replicator.guard. Without replication a document is on this instance alone, and the check does nothing. */
  guard(docId: string): () => void {
    return this.shared.replicator?.guard(docId) ?? (() => {})
  }

  /** See Replicator.takeOver. */
  takeOver(instances: readonly string[]): Promise<void> {
    return this.shared.replicator?.takeOver(instances) ?? Promise.resolve()
  }

  /** Of each open document, the number of columns with cells that formulas still have to compute. */
  get unfinishedColumns(): readonly number[] {
    return this.documents.unfinishedColumns
  }

  /** Ids of the open documents. */
  get openDocuments(): string[] {
    return this.documents.ids
  }

  /** Number of open documents. */
  get openCount(): number {
    return this.documents.size
  }

  /** Runs a short read on one moment of a document. Throws `not_found` when the document does not exist. */
  read<T>(docId: string, fn: (doc: DocumentReader) => T & Synchronous<T>): T {
    return this.documents.run(docId, (doc) => doc.read<T>(fn))
  }

  /**
   * Runs a write. Resolves when the write and its log entry are on disk; when `fn` throws, nothing is
   * changed. A call whose signal is aborted before its turn does not run.
   */
  transact<T>(
    docId: string,
    author: Author,
    fn: (doc: DocumentWriter) => T & Synchronous<T>,
    signal?: AbortSignal,
  ): Promise<Written<T>> {
    return this.documents.runAsync(docId, (doc) => doc.transact<T>(author, fn, { signal }))
  }

  /**
   * Runs a write, with what is derived from it, and rolls it back: nothing of it is kept, published or seen by anybody.
   * Resolves to its result and what it would have left. Throws what the write would throw.
   */
  preview<T>(
    docId: string,
    author: Author,
    fn: (doc: DocumentWriter) => T & Synchronous<T>,
    signal?: AbortSignal,
  ): Promise<Written<T>> {
    const options = { signal, isPreview: true }
    return this.documents.runAsync(docId, (doc) => doc.transact<T>(author, fn, options))
  }

  /** The epoch and log position of a document, which make up its tag. Throws `not_found`. */
  stateOf(docId: string): {
    readonly epoch: string
    readonly seq: number
    readonly isPending: boolean
  } {
    return this.documents.look(docId, ({ epoch, state, pendingColumns }) => ({
      epoch,
      seq: state.seq,
      isPending: pendingColumns > 0,
    }))
  }

  /**
   * Reads records as JSON: in one piece when there are few, else in chunks made on demand, the heavy ones in
   * a thread. Waits while the caller has too many replies that the transport has not taken. Returns a promise only when
   * the result is not available at once.
   */
  readRecords(
    docId: string,
    query: RecordsQuery,
    caller?: ReadCaller,
  ): RecordsReply | Promise<RecordsReply> {
    const limits = this.limits(caller)
    const read = () => this.documents.runMaybeAsync(docId, (doc) => readRecords(doc, query, limits))
    const turn = this.shared.replyRoom.enter(limits)
    return turn ? turn.then(read) : read()
  }

  /**
   * Reads the log on demand; see `readChanges`. Returns a promise only when the result is not available at
   * once.
   */
  readChanges(
    docId: string,
    plan: ChangesPlan,
    caller?: ReadCaller,
  ): ChangesReply | Promise<ChangesReply> {
    const limits = this.limits(caller)
    return this.documents.runMaybeAsync(docId, (doc) => readChanges(doc, plan, limits))
  }

  /** Runs a short read of the file of a document by a connection that the caller opens. Throws `not_found`. */
  readFile<T>(
    docId: string,
    run: (file: {
      readonly path: string
      readonly opening: object
      readonly schema: DocumentReader['schema']
    }) => T & Synchronous<T>,
  ): T {
    return this.documents.run(docId, (opening) =>
      run({ path: opening.path, opening, schema: opening.state.schema }),
    )
  }

  /**
   * Runs a read of the file of a document in another process, on a snapshot of its own that must be
   * short-lived. The read is revoked when it has to end because the document is closed or deleted.
   */
  readOutside<T>(
    docId: string,
    run: (path: string, onRevoked: OnRevoked) => Promise<T>,
  ): Promise<T> {
    return this.documents.runAsync(docId, (doc) => doc.readOutside(run))
  }

  /** Runs a read that waits for something else, on one moment of a document that lasts until its promise has settled. */
  readWhile<T>(
    docId: string,
    caller: ReadCaller,
    run: (doc: DocumentReader) => Promise<T>,
  ): Promise<T> {
    return this.documents.readWhile(docId, this.limits(caller), run)
  }

  /** Reads tables in another form, in chunks made on demand; see `readExport`. */
  readExport(docId: string, plan: PlanExport, caller?: ReadCaller): Promise<RecordsReply> {
    return this.documents.runAsync(docId, (doc) => readExport(doc, plan, this.limits(caller)))
  }

  /** Schedules the removal of contents that belong to no attachment and are claimed by no running upload. */
  removeOrphanedContents(docId: string): void {
    this.documents.find(docId)?.maintenance.removeOrphanedContents()
  }

  /** Runs the waiting writes and closes all documents. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.shared.watch[Symbol.dispose]()
    await this.lifeCycle[Symbol.asyncDispose]()
    await this.attachments[Symbol.asyncDispose]()
    await this.documents[Symbol.asyncDispose]()
    await this.shared.replicator?.[Symbol.asyncDispose]()
    await this.snapshots[Symbol.asyncDispose]()
    await this.shared.workers[Symbol.asyncDispose]()
  }

  private limits(caller: ReadCaller = {}): CallerLimits {
    return new CallerLimits(caller, this.options.maxReadMs)
  }
}
