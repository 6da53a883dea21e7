import type { IndexRules } from './auto-indexes'
import type { ByteBudget } from './byte-budget'
import type { DirtyMarkers } from './dirty-markers'
import type { ActiveUploads } from './file-contents'
import type { WorkerPool } from './worker-pool'

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
  readonly uploads: ActiveUploads
  readonly indexRules: IndexRules
  /** For log entries until they are published, and for replies that are asked for again. */
  readonly entryBudget: ByteBudget
  readonly replyBudget: ByteBudget
  /** Size in bytes of the write-ahead log at which long reads have to let it begin anew. */
  readonly maxWalBytes: number
}
