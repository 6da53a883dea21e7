/** The range of the log to read, as plain values that can be sent to another thread. */
export interface ChangesPlan {
  /** Entries with a greater seq … */
  readonly after: number
  /** … at most this many. */
  readonly limit: number
  /** True for whole rows: as of each change, or as of now without `oldValues`. */
  readonly fullRows: boolean
  /** Refs of the tables whose changes are wanted; all when empty. */
  readonly tableRefs: readonly number[]
  /** False for callers who may not see the past: values, names and metadata are those of now. */
  readonly oldValues: boolean
}
