import { AppError } from '@sheaf/kit/errors'
import { AutoIndexes } from '../indexes/auto-indexes'
import { openReader, openWriter, type Connection } from '../sqlite/connections'
import { DocumentWriter, type DocumentReader, type OnRevoked, type Written } from '../document'
import { DocumentLog } from '../log/document-log'
import { GroupCommit, type GroupHooks, type StageSignal } from '../sqlite/group-commit'
import { IndexUse } from '../indexes/index-use'
import { readLatestSeq, type Author, type LogEntry, type Operation } from '../log/log'
import { ReaderPool } from '../sqlite/reader-pool'
import { countPending, countUnfinished, readSchema, type Schema } from '../schema/schema'
import { ReadCache } from './read-cache'
import { prepareFile } from './prepare-file'
import {
  DerivedGroup,
  mayRunTriggers,
  type GroupEntry,
  type GroupOwner,
  type GroupTask,
} from './derived-group'
import type { DocumentEvents, SharedResources } from './shared-resources'
import { DocumentMaintenance } from './maintenance'

/** A document whose file is open: one connection for writes, one for short reads, a few for long reads. */
export class OpenDocument {
  /** Connections for reads that span several turns of the event loop. */
  readonly pool: ReaderPool
  /** Small replies and numbers of rows, valid for the committed state. */
  readonly replies: ReadCache
  /** Indexes that are built and dropped as filters need them. */
  readonly indexes: AutoIndexes
  /** Background work on this document. */
  readonly maintenance: DocumentMaintenance
  /**
   * Distinguishes this document from earlier states restored from a backup and from copies; part of its tag.
   */
  readonly epoch: string
  /** Epoch milliseconds of the last use. */
  usedAt = Date.now()
  private readonly writer: Connection
  private readonly indexUse: IndexUse
  private reader: Connection | undefined
  private readonly group: GroupCommit
  private readonly log: DocumentLog
  /** The state on disk, and the state within the running transaction. */
  private committed: { schema: Schema; seq: number }
  private working: { schema: Schema; seq: number }
  /** The writes of the open transaction that changed something, and its other work. */
  private entries: GroupEntry[] = []
  private readonly tasks = new Set<GroupTask>()
  private saveMarks = false
  private closedBy: AppError | undefined
  private burdened = false

  /** Opens the file. Throws as `prepareFile`, and what SQLite throws. */
  constructor(
    readonly docId: string,
    readonly path: string,
    private readonly shared: SharedResources,
    private readonly events: DocumentEvents,
  ) {
    this.writer = openWriter(path)
    try {
      prepareFile(this.writer, shared)
      this.log = new DocumentLog(this.writer, shared.entryBudget)
      this.epoch = this.log.epoch
      this.committed = { schema: readSchema(this.writer), seq: readLatestSeq(this.writer) }
      this.indexes = new AutoIndexes(shared.indexRules, this.writer)
      this.indexUse = new IndexUse(this.indexes)
      // The log is durable elsewhere: after a power failure the file lacks its end, and redo adds it.
      if (shared.replicator?.isLocal(docId) === false) this.writer.db.pragma('synchronous = NORMAL')
    } catch (error) {
      this.writer.close()
      throw error
    }
    this.working = this.committed
    this.pool = new ReaderPool(path)
    this.replies = new ReadCache(shared.replyBudget, shared.figures, this.committed.seq)
    this.group = new GroupCommit(this.writer, this.groupHooks(), shared)
    const { writer, group, pool, indexes } = this
    const { workers, uploads, maxWalBytes } = shared
    const failed = (error: unknown) => events.failed(error)
    this.maintenance = new DocumentMaintenance({
      path,
      writer,
      group,
      pool,
      indexes,
      workers,
      uploads,
      maxWalBytes,
      formulas: {
        isPending: () => this.unfinishedColumns > 0,
        progress: () => this.committed.schema,
        isAged: () => shared.stages?.isAged?.(docId, this.committed.schema) ?? false,
        run: (task) => this.runTask(task),
      },
      failed,
    })
    // Of a document that was closed, or of a service that ended, in the middle of a long computation.
    if (shared.stages?.derive) this.maintenance.derivePending()
    // Of another version, or left by a build that a crash interrupted.
    if (this.indexes.hasOutdated) this.maintenance.dropUnusedIndexes()
    // Left by uploads that a crash interrupted.
    this.maintenance.removeOrphanedContents()
  }

  /** Slots for the long reads of all documents. */
  get longReads(): SharedResources['longReads'] {
    return this.shared.longReads
  }

  /** Memory of the whole replies of all documents. */
  get replyRoom(): SharedResources['replyRoom'] {
    return this.shared.replyRoom
  }

  /** Threads for heavy reads. */
  get workers(): SharedResources['workers'] {
    return this.shared.workers
  }

  /** True when closing would interrupt nothing. */
  get idle(): boolean {
    const isAsked = this.group.waiting > 0 || this.group.isOpen || this.pool.inUse > 0
    return !isAsked && !this.maintenance.busy && !this.log.isGathering
  }

  /** Formula columns with cells that are still to be computed. */
  get pendingColumns(): number {
    return countPending(this.committed.schema)
  }

  /** These, and columns with trigger formulas whose cells are still to be computed. */
  get unfinishedColumns(): number {
    return countUnfinished(this.committed.schema)
  }

  /** Log entries that NATS has not confirmed. */
  get backlog(): number {
    return this.committed.seq - this.log.published
  }

  /** Runs a short read on the committed state. */
  read<T>(fn: (doc: DocumentReader) => T): T {
    this.reader ??= openReader(this.path)
    return fn({ docId: this.docId, connection: this.reader, ...this.committed })
  }

  /**
   * Runs a read of the file by another process. Throws `unavailable` while long reads are held back: a waiting caller
   * might hold a resource that others need.
   */
  async readOutside<T>(run: (path: string, onRevoked: OnRevoked) => Promise<T>): Promise<T> {
    this.pool.requireAdmission()
    this.requireOpen()
    let revoke: Parameters<OnRevoked>[0] | undefined
    const leave = this.pool.enter((reason) => revoke?.(reason))
    try {
      return await run(this.path, (listener) => (revoke = listener))
    } finally {
      leave()
    }
  }

  /** Schema and log position of the committed state. */
  get state(): { readonly schema: Schema; readonly seq: number } {
    return this.committed
  }

  /** Runs a write in the next group; resolves when it is on disk. A preview changes nothing: see `DocumentStore.preview`. */
  transact<T>(
    author: Author,
    fn: (doc: DocumentWriter) => T,
    { signal, isPreview }: { signal?: AbortSignal; isPreview?: boolean } = {},
  ): Promise<Written<T>> {
    const trace = this.shared.traceWrite?.(author.traceparent)
    const preview = (of: Written<T>): Written<T> => {
      // As in `append`.
      this.shared.replicator?.requireReady(this.docId)
      return { ...of, preview: { entry: this.log.preview(), schema: this.working.schema } }
    }
    const write = (): Written<T> => {
      trace?.begins()
      const { schema, seq } = this.working
      const doc = new DocumentWriter(this.docId, this.writer, schema, seq)
      doc.indexes = this.indexUse
      doc.earlierReplies = this.log.pendingReplies
      doc.isBehind = this.entries.length > 0
      const result = fn(doc)
      const { nextSeq: next, operations, reply } = doc
      this.log.add({ seq: next > seq ? next : undefined, author, operations, reply })
      if (next > seq)
        this.entries.push({ seq: next, author, operations, writings: doc.writings, trace })
      this.burdened = this.indexes.wrote(operations) || this.burdened
      this.working = { schema: doc.schema, seq: next }
      trace?.applied(operations)
      return { result, seq: next }
    }
    const written = this.group.add(write, signal, isPreview ? preview : undefined)
    if (trace)
      written.then(
        () => trace.ends(false),
        () => trace.ends(true),
      )
    return written
  }

  /** Throws the reason for closing if the document is closed. */
  requireOpen(): void {
    if (this.closedBy) throw this.closedBy
  }

  /**
   * The next entries to publish, fixed on disk, including those added until `gathered`; empty when all is
   * published.
   */
  nextBatch(gathered?: Promise<unknown>): Promise<LogEntry[]> {
    const source = {
      latest: () => this.committed.seq,
      fix: () => this.saveMarksNow(),
      read: <T>(run: (connection: Connection) => T) =>
        this.read(({ connection }) => run(connection)),
    }
    return this.log.nextBatch(source, gathered)
  }

  /** Records that NATS has confirmed the entries up to this one. */
  confirmPublished(seq: number): void {
    this.log.confirm(seq)
  }

  /** Removes the marker when all entries are published. Resolves to true when the marker is gone. */
  async settle(): Promise<boolean> {
    if (this.backlog === 0 && this.log.unsaved) await this.saveMarksNow()
    if (this.backlog !== 0 || this.log.unsaved) return false
    this.shared.unpublished.clear(this.docId)
    return true
  }

  /**
   * Runs the waiting writes, stores publish marks and closes the file; later writes fail with the reason. Returns a promise
   * only when a write has to wait.
   */
  close(
    reason = new AppError('unavailable', 'DOCUMENT_CLOSED', 'the document was closed'),
  ): Promise<void> | undefined {
    this.maintenance.close()
    this.log.endGathering()
    if (this.log.unsaved && !this.group.isClosed)
      this.saveMarksNow().catch((error: unknown) => this.events.failed(error))
    const finished = this.group.finish(reason)
    if (finished) return finished.then(() => this.abandon(reason))
    this.abandon(reason)
    return undefined
  }

  /** Closes the file at once; running and waiting writes fail with the reason. */
  abandon(reason: AppError): void {
    if (this.closedBy) return
    this.closedBy = reason
    this.maintenance.close()
    this.group.close(reason)
    this.pool.close(reason)
    this.shared.stages?.closed?.(this.docId)
    this.replies.clear()
    this.log.close()
    this.reader?.close()
    this.writer.close()
  }

  private async saveMarksNow(): Promise<void> {
    await this.group.add(() => {
      this.saveMarks = true
    })
  }

  /** Runs a task in the next group; resolves when it is on disk. */
  private runTask(task: GroupTask): Promise<void> {
    return this.group.add(() => {
      this.tasks.add(task)
    })
  }

  private groupHooks(): GroupHooks {
    const { docId, shared, events } = this
    const { stages, replicator } = shared
    const owner = this.groupOwner()
    return {
      derive:
        stages?.derive &&
        ((signal: StageSignal) => stages.derive?.(new DerivedGroup(owner), signal)),
      append: (replicator ?? stages?.append) && ((signal: StageSignal) => this.append(signal)),
      recover: replicator && (() => replicator.recover(docId)),
      memberStarts: () => this.remember(),
      isFull: () => mayRunTriggers(this.entries.at(-1), this.working.schema),
      record: () => this.storeRecords(),
      committed: () => this.afterCommit(),
      undone: () => this.afterRollback(),
      spoiled: (cause: unknown) => {
        shared.disk.failed(cause)
        events.spoiled(cause)
      },
    }
  }

  private append(signal: StageSignal): Promise<void> | undefined {
    const { docId, writer: connection } = this
    const { stored: records, marked } = this.log
    if (records.length === 0) {
      // What changes nothing is answered from what it has read.
      this.shared.replicator?.requireReady(docId)
      return undefined
    }
    const isUnpublished = this.working.seq > marked
    const isPending = countUnfinished(this.working.schema) > 0
    const group = { docId, connection, records, isUnpublished, isPending }
    const { replicator, stages } = this.shared
    return replicator ? replicator.append(group) : stages?.append?.(group, signal)
  }

  private groupOwner(): GroupOwner {
    return {
      docId: this.docId,
      connection: this.writer,
      indexes: this.indexUse,
      entries: () => this.entries,
      tasks: this.tasks,
      schema: () => this.working.schema,
      schemaChanged: () => {
        this.writer.forget()
        this.working = { ...this.working, schema: readSchema(this.writer) }
      },
      beginEntry: (operations) => this.addOwnEntry(operations),
      extendEntry: (seq, operations) => this.log.extend(seq, operations),
      noteDue: (change) => this.log.noteDue(change),
    }
  }

  private addOwnEntry(operations: readonly Operation[]): void {
    const seq = this.working.seq + 1
    const author: Author = { userId: 0, cause: 'formula', traceparent: '' }
    this.log.add({ seq, author, operations, reply: undefined })
    this.working = { ...this.working, seq }
  }

  private remember(): () => void {
    const before = this.working
    const entries = this.entries.length
    const forgetEntries = this.log.remember()
    return () => {
      forgetEntries()
      this.entries.length = entries
      if (this.working.schema !== before.schema) this.writer.forget()
      this.working = before
    }
  }

  private storeRecords(): void {
    const logged = this.working.seq !== this.committed.seq
    this.log.store()
    if (logged) this.shared.unpublished.set(this.docId)
    if (logged || this.saveMarks) this.log.save(this.working.seq)
  }

  private afterCommit(): void {
    this.log.committed()
    this.replies.counts.committed(this.entries)
    this.entries = []
    this.tasks.clear()
    this.shared.disk.accepted()
    this.saveMarks = false
    const logged = this.working.seq !== this.committed.seq
    if (this.working.schema !== this.committed.schema) {
      this.reader?.forget()
      this.indexes.reload(this.writer)
    }
    this.committed = this.working
    if (logged) {
      this.replies.clear()
      this.events.logged()
      this.shared.watch.wake(this.docId)
    }
    this.maintenance.watchLog()
    if (this.shared.stages?.derive) this.maintenance.derivePending()
    if (this.burdened || this.indexes.hasOutdated) this.maintenance.dropUnusedIndexes()
    this.burdened = false
    this.indexUse.improve(this.writer, (step) => this.maintenance.improve(step))
  }

  private afterRollback(): void {
    this.log.undone()
    this.entries = []
    this.tasks.clear()
    this.shared.stages?.undone?.(this.docId)
    this.saveMarks = false
    this.working = this.committed
    this.writer.forget()
    this.indexUse.forget()
  }
}
