import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@sheaf/kit/errors'
import { AutoIndexes, type IndexRules } from './auto-indexes'
import type { ByteBudget } from './byte-budget'
import { openReader, openWriter, type Connection } from './connections'
import type { DirtyMarkers } from './dirty-markers'
import { DocumentWriter, type DocumentReader } from './document'
import { GroupCommit } from './group-commit'
import { IndexUse } from './index-use'
import {
  appendEntry,
  readEntries,
  readLatestSeq,
  type Appended,
  type Author,
  type LogEntry,
} from './log'
import { migrate, requireDocumentFile } from './migrations/index'
import { EVENT_BYTES, PublishState, readEpoch } from './publish-state'
import { ReaderPool } from './reader-pool'
import { RecentEntries } from './recent-entries'
import { RecentReplies } from './recent-replies'
import { readSchema, type Schema } from './schema'
import { Upkeep } from './upkeep'
import type { WorkerPool } from './worker-pool'

/** How long entries wait for a write that fixes their batch along the way. */
const GATHER_MS = 2

/** What an open document tells its store. */
export interface DocumentEvents {
  /** Entries were added to the log. */
  logged(): void
  /** The connections cannot be trusted any more. */
  spoiled(cause: unknown): void
  /** Something failed that nobody waits for. */
  failed(error: unknown): void
}

/** What the documents of an instance share. */
export interface DocumentSurroundings {
  readonly dirty: DirtyMarkers
  readonly workers: WorkerPool
  readonly indexRules: IndexRules
  /** For log entries until they are published, and for replies that are asked for again. */
  readonly entryBudget: ByteBudget
  readonly replyBudget: ByteBudget
  /** Size in bytes of the write-ahead log at which long reads have to let it begin anew. */
  readonly maxWalBytes: number
}

/** What a write answers. */
export interface Written<T> {
  readonly result: T
  /** Position of its log entry; of the latest one when nothing changed. */
  readonly seq: number
}

/** A document whose file is open: one connection that writes, one for short reads, a few for long ones. */
export class OpenDocument {
  /** Connections for reads that take several turns. */
  readonly pool: ReaderPool
  /** Small replies of what is committed. */
  readonly replies: RecentReplies
  /** Indexes that are made and dropped as filters need them. */
  readonly indexes: AutoIndexes
  /** What is done without anybody waiting for it. */
  readonly upkeep: Upkeep
  /** Tells this life of the document from that of its earlier or other copies; part of its tag. */
  readonly epoch: string
  /** Epoch milliseconds of the last use. */
  usedAt = Date.now()
  private readonly writer: Connection
  private readonly indexUse: IndexUse
  private reader: Connection | undefined
  private readonly group: GroupCommit
  private readonly publishing: PublishState
  /** What is on disk, and what the transaction that runs has made of it. */
  private committed: { schema: Schema; seq: number }
  private working: { schema: Schema; seq: number }
  /** Log entries of the transaction that runs. */
  private appended: Appended[] = []
  private readonly recent: RecentEntries
  private saveMarks = false
  private closedBy: AppError | undefined
  private burdened = false

  /** Opens the file and brings it to the newest form. Throws what SQLite throws. */
  constructor(
    readonly docId: string,
    readonly path: string,
    private readonly around: DocumentSurroundings,
    private readonly events: DocumentEvents,
  ) {
    this.writer = openWriter(path)
    try {
      requireDocumentFile(this.writer.db)
      migrate(this.writer.db)
      this.publishing = new PublishState(this.writer)
      this.epoch = readEpoch(this.writer)
      this.committed = { schema: readSchema(this.writer), seq: readLatestSeq(this.writer) }
      this.indexes = new AutoIndexes(around.indexRules, this.writer)
      this.indexUse = new IndexUse(this.indexes)
    } catch (error) {
      this.writer.close()
      throw error
    }
    this.working = this.committed
    this.pool = new ReaderPool(path)
    this.recent = new RecentEntries(around.entryBudget)
    this.replies = new RecentReplies(around.replyBudget)
    this.group = new GroupCommit(this.writer, {
      memberStarts: () => this.remember(),
      beforeCommit: () => this.beforeCommit(),
      committed: () => this.afterCommit(),
      undone: () => this.afterRollback(),
      spoiled: (cause) => events.spoiled(cause),
    })
    const { writer, group, pool, indexes } = this
    const { workers, maxWalBytes } = around
    const failed = (error: unknown) => events.failed(error)
    this.upkeep = new Upkeep({
      path,
      writer,
      group,
      pool,
      indexes,
      workers,
      maxWalBytes,
      failed,
    })
  }

  /** Threads for heavy reads. */
  get workers(): WorkerPool {
    return this.around.workers
  }

  /** True when nothing is going on that closing would disturb. */
  get idle(): boolean {
    return this.group.waiting === 0 && this.pool.inUse === 0 && !this.upkeep.busy
  }

  /** Log entries that NATS has not confirmed. */
  get backlog(): number {
    return this.committed.seq - this.publishing.published
  }

  /** Runs a short read on what is committed. */
  read<T>(fn: (doc: DocumentReader) => T): T {
    this.reader ??= openReader(this.path)
    return fn({ docId: this.docId, connection: this.reader, ...this.committed })
  }

  /** Form and log position of what is committed. */
  get state(): { readonly schema: Schema; readonly seq: number } {
    return this.committed
  }

  /** Runs a write in the next group; answers when it is on disk. */
  transact<T>(
    author: Author,
    fn: (doc: DocumentWriter) => T,
    signal?: AbortSignal,
  ): Promise<Written<T>> {
    return this.group.add(() => {
      const { schema, seq } = this.working
      const doc = new DocumentWriter(this.docId, this.writer, schema, seq)
      doc.indexes = this.indexUse
      const result = fn(doc)
      const next = doc.nextSeq
      if (next > seq) {
        this.appended.push(appendEntry(this.writer, next, author, doc.operations))
        this.burdened = this.indexes.wrote(doc.operations) || this.burdened
      }
      this.working = { schema: doc.schema, seq: next }
      return { result, seq: next }
    }, signal)
  }

  /** Throws why the document was closed, when it was. */
  requireOpen(): void {
    if (this.closedBy) throw this.closedBy
  }

  /** The entries to publish next, fixed on disk; empty when all is published. */
  async nextBatch(): Promise<LogEntry[]> {
    // Under load the next write fixes it in its own transaction; only without one it takes another.
    if (!this.publishing.batch && this.backlog > 0) await delay(GATHER_MS)
    if (!this.publishing.batch && this.backlog > 0) await this.saveMarksNow()
    const { batch } = this.publishing
    if (!batch) return []
    return (
      this.recent.find(batch) ??
      this.read(({ connection }) => readEntries(connection, { ...batch, maxBytes: EVENT_BYTES }))
    )
  }

  /** NATS has confirmed the entries up to this one. */
  confirmPublished(seq: number): void {
    this.publishing.confirm(seq)
    this.recent.confirm(seq)
  }

  /** Takes the dirty mark away when all is published. True when it is gone. */
  async settle(): Promise<boolean> {
    if (this.backlog === 0 && this.publishing.unsaved) await this.saveMarksNow()
    if (this.backlog !== 0 || this.publishing.unsaved) return false
    this.around.dirty.clear(this.docId)
    return true
  }

  /** Runs the writes that wait and closes the file. */
  close(): void {
    this.group.flush()
    this.abandon(new AppError('unavailable', 'DOCUMENT_CLOSED', 'the document was closed'), true)
  }

  /** Closes the file at once; what waits fails with the reason. */
  abandon(reason: AppError, saveMarks = false): void {
    this.closedBy = reason
    this.upkeep.close()
    this.group.close(reason)
    this.pool.close(reason)
    this.recent.clear()
    this.replies.clear()
    try {
      if (saveMarks && this.publishing.unsaved) {
        this.publishing.save(this.writer, this.committed.seq)
        this.publishing.settle(true)
      }
    } finally {
      this.reader?.close()
      this.writer.close()
    }
  }

  private async saveMarksNow(): Promise<void> {
    await this.group.add(() => {
      this.saveMarks = true
    })
  }

  private remember(): () => void {
    const before = this.working
    const { length } = this.appended
    return () => {
      this.appended.length = length
      if (this.working.schema !== before.schema) this.writer.forget()
      this.working = before
    }
  }

  private beforeCommit(): void {
    const logged = this.working.seq !== this.committed.seq
    if (logged) this.around.dirty.set(this.docId)
    if (logged || this.saveMarks) this.publishing.save(this.writer, this.working.seq)
  }

  private afterCommit(): void {
    this.publishing.settle(true)
    this.saveMarks = false
    this.keepAppended()
    const logged = this.working.seq !== this.committed.seq
    if (this.working.schema !== this.committed.schema) {
      this.reader?.forget()
      this.indexes.reload(this.writer)
    }
    this.committed = this.working
    if (logged) {
      this.replies.clear()
      this.events.logged()
    }
    this.upkeep.watchLog()
    if (this.burdened) this.upkeep.tidy()
    this.burdened = false
    this.indexUse.improve(this.writer, this.upkeep)
  }

  private keepAppended(): void {
    for (const { entry, bytes } of this.appended) {
      const { operations, ...rest } = entry
      // As they are read from the log: what is too large for a message is left out.
      if (bytes > EVENT_BYTES) this.recent.add(rest, 0)
      else this.recent.add({ ...rest, operations }, bytes)
    }
    this.appended = []
  }

  private afterRollback(): void {
    this.publishing.settle(false)
    this.appended = []
    this.saveMarks = false
    this.working = this.committed
    this.writer.forget()
    this.indexUse.forget()
  }
}
