import { indexRules, type IndexRules } from '../indexes/auto-indexes'
import { ByteBudget } from '../sqlite/byte-budget'
import { DiskState } from '../sqlite/disk-state'
import type { UnpublishedMarkers } from '../sqlite/unpublished-markers'
import { ActiveUploads } from '../attachments/file-contents'
import type { CommittedGroup, StageSignal } from '../sqlite/write-group'
import { LogWatch } from '../log/log-watch'
import { WorkerPool } from '../workers/worker-pool'
import type { Schema } from '../schema/schema'
import type { DerivedGroup } from './derived-group'
import { LongReadSlots } from './long-read-slots'
import type { AppendedGroup, Replicator, ReplicatorHost } from './replicator'
import { ReplyRoom } from './reply-room'
import type { TraceWrite } from './write-trace'

const MAX_WAL_BYTES = 64 * 1024 * 1024
/** Bytes that all documents together cache: of log entries, as JSON, and of replies. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/**
 * Stages of a group of writes that may wait with the transaction open; see GroupHooks. Absent stages take no
 * time.
 */
export interface WriteStages {
  /** Computes the formulas that depend on the writes of the group, and does its tasks. */
  derive?(group: DerivedGroup, signal: StageSignal): Promise<void> | undefined
  /** The transaction of the latest group of this document was rolled back. */
  undone?(docId: string): void
  /** True when columns of this document that depend on the time have to be computed. */
  isAged?(docId: string, schema: Schema): boolean
  /** The document was closed. */
  closed?(docId: string): void
  append?(group: AppendedGroup, signal: StageSignal): Promise<void> | undefined
}

/** Counters of all documents since the start; plain fields, since every call increments them. */
export class StoreFigures {
  /** Uses of documents … */
  uses = 0
  /** … and those for which its file had to be opened. */
  openings = 0
  /** Small reads answered from the cache … */
  repliesKept = 0
  /** … and those that had to be read. */
  repliesMade = 0

  constructor(private readonly budgets: Readonly<Record<'replies' | 'entries', ByteBudget>>) {}

  /** Bytes of cached replies. */
  get replyBytes(): number {
    return this.budgets.replies.used
  }

  /** Bytes of cached log entries. */
  get entryBytes(): number {
    return this.budgets.entries.used
  }

  /** Counts the use of a document. */
  countUse(wasOpen: boolean): void {
    this.uses++
    if (!wasOpen) this.openings++
  }
}

/** Notifications of an open document. */
export interface DocumentEvents {
  /** Entries were added to the log. */
  logged(): void
  /** The state of the connections is in doubt. */
  spoiled(cause: unknown): void
  /** Called when background work fails. */
  failed(error: unknown): void
}

/** Resources that the documents of an instance share. */
export interface SharedResources {
  readonly unpublished: UnpublishedMarkers
  readonly workers: WorkerPool
  readonly longReads: LongReadSlots
  readonly replyRoom: ReplyRoom
  readonly uploads: ActiveUploads
  readonly indexRules: IndexRules
  /** For log entries until they are published, and for cached replies. */
  readonly entryBudget: ByteBudget
  readonly replyBudget: ByteBudget
  /** Size in bytes of the write-ahead log above which new long reads wait until it is truncated. */
  readonly maxWalBytes: number
  readonly traceWrite: TraceWrite | undefined
  readonly observeGroup: ((group: CommittedGroup) => void) | undefined
  readonly groupMs: number | undefined
  readonly stages: WriteStages | undefined
  /** Absent when the files of this instance are all there is of the documents. */
  replicator?: Replicator
  /** See SharedResourcesOptions. */
  readonly isPast: boolean
  readonly figures: StoreFigures
  /** Whether writes fail for lack of space. */
  readonly disk: DiskState
  /** For calls that wait for the next write of a document. */
  readonly watch: LogWatch
}

/** Limits of threads, indexes and files. */
export interface SharedResourcesOptions {
  /**
   * Threads for long reads and index builds; with 0 everything runs on the event loop and no index is built.
   */
  readonly workers: number
  /** Automatic indexes of a table at most. */
  readonly maxIndexes: number
  /** Overrides the default rules for automatic indexes. */
  readonly indexRules?: Partial<IndexRules>
  /** Size in bytes above which a write-ahead log is truncated; 64 MiB by default. */
  readonly maxWalBytes?: number
  /** True for documents of the past, which nothing changes: their attachments do not expire. */
  readonly isPast?: boolean
  /** Program of the threads; replaced in tests. */
  readonly workerProgram?: string
  /** Follows writes for traces. */
  readonly traceWrite?: TraceWrite
  /** Called after each transaction that is on disk. */
  readonly observeGroup?: (group: CommittedGroup) => void
  /** Milliseconds after which a group of writes takes no further one; 20 by default. */
  readonly groupMs?: number
  /** Stages of writes that may wait. */
  readonly stages?: WriteStages
  /** Opens what keeps the documents outside of this instance; by default their files are all there is. */
  readonly replicate?: (host: ReplicatorHost) => Replicator
  /** Called with the error of every thread that dies. */
  readonly onWorkerCrash?: (error: unknown) => void
}

/** Creates the resources that the documents of an instance share. */
export function createSharedResources(
  unpublished: UnpublishedMarkers,
  options: SharedResourcesOptions,
): SharedResources {
  const { workers, workerProgram, maxIndexes, maxWalBytes = MAX_WAL_BYTES } = options
  const replyBudget = new ByteBudget(MAX_KEPT_BYTES)
  const entryBudget = new ByteBudget(MAX_KEPT_BYTES)
  return {
    unpublished,
    workers: new WorkerPool({
      size: workers,
      program: workerProgram,
      onCrash: (error) => options.onWorkerCrash?.(error),
    }),
    longReads: new LongReadSlots(),
    replyRoom: new ReplyRoom(),
    uploads: new ActiveUploads(),
    indexRules: { ...indexRules, ...options.indexRules, maxPerTable: maxIndexes },
    entryBudget,
    replyBudget,
    maxWalBytes,
    traceWrite: options.traceWrite,
    observeGroup: options.observeGroup,
    groupMs: options.groupMs,
    stages: options.stages,
    isPast: options.isPast === true,
    figures: new StoreFigures({ replies: replyBudget, entries: entryBudget }),
    disk: new DiskState(),
    watch: new LogWatch(),
  }
}
