import type { RetryLimits } from './retry-policy.ts'

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, also while it waits to be repeated. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal
  /** Limits that differ from those of the client; `{ attempts: 1 }` for no repetition. */
  readonly retry?: Partial<RetryLimits>
}

/** Options of a read of a document that can show a former moment. */
export interface ReadOptions extends CallOptions {
  /** Position of a change, or a time, as of which the document is read. */
  readonly asOf?: number | string
}

/** Options of every write of a document. */
export interface WriteOptions extends CallOptions {
  /** ETag that the document must have: `etag` of an earlier page or batch. */
  readonly ifMatch?: string
  /**
   * By default the client creates a key for each write, so that a repetition has no second effect. A key of your own also
   * protects against repetitions by your program, for 24 hours. `false` sends none: the write is then repeated only if
   * it was never begun.
   */
  readonly idempotencyKey?: string | false
  /** Refuses values that do not fit their column, instead of keeping them as text. */
  readonly strict?: boolean
}

/** Options of a write of cells. */
export interface CellWriteOptions extends WriteOptions {
  /** Stores text unchanged, instead of converting it to the type of its column. */
  readonly noParse?: boolean
}
