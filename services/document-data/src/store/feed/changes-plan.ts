/** The range of the log to read, as plain values that can be sent to another thread. */
export interface ChangesPlan {
  /** Entries with a greater seq … */
  readonly after: number
  /** … at most this many. */
  readonly limit: number
  /** True for whole rows as of each change. */
  readonly fullRows: boolean
  /** Refs of the tables whose changes are wanted; all when empty. */
  readonly tableRefs: readonly number[]
  /** False to leave out former values. */
  readonly oldValues: boolean
}
