import { indexRules, type IndexRules } from '../indexes/auto-indexes'
import { ByteBudget } from '../sqlite/byte-budget'
import type { UnpublishedMarkers } from '../sqlite/unpublished-markers'
import { ActiveUploads } from '../attachments/file-contents'
import type { CommittedGroup } from '../sqlite/group-commit'
import type { Operation } from '../log/log'
import { LogWatch } from '../log/log-watch'
import { WorkerPool } from '../workers/worker-pool'

const MAX_WAL_BYTES = 64 * 1024 * 1024
/** What all documents keep in memory of log entries, as JSON, and of replies. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** Follows one write; each is told once, in this order, as far as it comes. */
export interface WriteTrace {
  /** Its turn has come. */
  begins(): void
  /** It has done its work. */
  applied(operations: readonly Operation[]): void
  /** It is on disk, or has failed. */
  ends(failed: boolean): void
}

/** Begins to follow a write that this W3C traceparent asked for; undefined when nobody wants to know. */
export type TraceWrite = (traceparent: string) => WriteTrace | undefined

/** What has happened in all documents since the start; counted in place, since it happens with every call. */
export class StoreFigures {
  /** Uses of a document … */
  uses = 0
  /** … and those for which its file had to be opened. */
  openings = 0
  /** Small reads whose reply was kept … */
  repliesKept = 0
  /** … and those whose reply had to be made. */
  repliesMade = 0

  constructor(private readonly budgets: Readonly<Record<'replies' | 'entries', ByteBudget>>) {}

  /** Bytes of replies that are kept. */
  get replyBytes(): number {
    return this.budgets.replies.used
  }

  /** Bytes of log entries that are kept. */
  get entryBytes(): number {
    return this.budgets.entries.used
  }

  /** Counts the use of a document. */
  countUse(wasOpen: boolean): void {
    this.uses++
    if (!wasOpen) this.openings++
  }
}

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
export interface SharedResources {
  readonly unpublished: UnpublishedMarkers
  readonly workers: WorkerPool
  readonly uploads: ActiveUploads
  readonly indexRules: IndexRules
  /** For log entries until they are published, and for replies that are asked for again. */
  readonly entryBudget: ByteBudget
  readonly replyBudget: ByteBudget
  /** Size in bytes of the write-ahead log at which long reads have to let it begin anew. */
  readonly maxWalBytes: number
  readonly traceWrite: TraceWrite | undefined
  readonly observeGroup: ((group: CommittedGroup) => void) | undefined
  readonly figures: StoreFigures
  /** For calls that wait until a document is written. */
  readonly watch: LogWatch
}

/** How threads, indexes and files are bounded. */
export interface SharedResourcesOptions {
  /** Threads for long reads and index builds; with 0 everything runs on the event loop and no index is built. */
  readonly workers: number
  /** Automatic indexes of a table at most. */
  readonly maxIndexes: number
  /** Other rules for automatic indexes than the usual ones. */
  readonly indexRules?: Partial<IndexRules>
  /** Size at which a write-ahead log has to begin anew, 64 MiB when absent. */
  readonly maxWalBytes?: number
  /** Program of the threads, another than usual in tests. */
  readonly workerProgram?: string
  /** Follows writes for traces. */
  readonly traceWrite?: TraceWrite
  /** Told of each transaction that is on disk. */
  readonly observeGroup?: (group: CommittedGroup) => void
  /** Told of every thread that dies. */
  readonly onWorkerCrash?: (error: unknown) => void
}

/** What the documents of an instance share, made anew. */
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
    uploads: new ActiveUploads(),
    indexRules: { ...indexRules, ...options.indexRules, maxPerTable: maxIndexes },
    entryBudget,
    replyBudget,
    maxWalBytes,
    traceWrite: options.traceWrite,
    observeGroup: options.observeGroup,
    figures: new StoreFigures({ replies: replyBudget, entries: entryBudget }),
    watch: new LogWatch(),
  }
}
