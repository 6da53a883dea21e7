import type { LogEntry, Operation } from '../log/log'
import type { Piece, Rebuilds } from './passes'

/** Replaces operations of the log by what a caller is sent; undefined leaves an operation out. */
export type Completed = ReadonlyMap<Operation, Operation | undefined>

/** Reads the rows that operations of the log are completed with. */
export interface RowReader {
  /** The changes of rows that it has to read rows for. */
  readonly rebuilds: Rebuilds
  /** True when the next pieces, assumed to cost about as much as the last ones, would exceed the limit. */
  readonly isSpent: boolean
  /**
   * The operations of these pieces as they are sent, for those that differ from the log. `entries` are all
   * that lie between the first piece and the last. Undefined when the rows are too large together, and
   * `mayRefuse`. Yields null where other work may run.
   */
  complete(
    entries: readonly LogEntry[],
    pass: readonly Piece[],
    mayRefuse: boolean,
  ): Generator<null, Completed | undefined>
}
