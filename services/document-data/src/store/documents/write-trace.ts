import type { Operation } from '../log/log'

/** Traces one write. Each method is called at most once, in this order. */
export interface WriteTrace {
  /** W3C traceparent of the span of the write. */
  readonly traceparent: string
  /** The write starts. */
  begins(): void
  /** The write has been applied. */
  applied(operations: readonly Operation[]): void
  /** Formulas are computed for the write, and for the other writes of its group that are traced. */
  derives(others: readonly WriteTrace[]): DeriveTrace | undefined
  /** The write is on disk, or has failed. */
  ends(failed: boolean): void
}

/** Traces computing the formulas of a group of writes. */
export interface DeriveTrace {
  /** All is computed, or the group was given up. */
  ends(counts: DeriveCounts, failed: boolean): void
}

/** What computing the formulas of a group took and left. */
export interface DeriveCounts {
  /** Columns of which cells were computed. */
  readonly columns: number
  readonly cells: number
  /** Exchanges with the evaluator. */
  readonly rounds: number
  /** Columns of the document that have pending cells. */
  readonly pending: number
  /** Formulas that exceeded a limit and were stopped. */
  readonly stopped: number
}

/** Starts tracing a write with this W3C traceparent; undefined when it is not sampled. */
export type TraceWrite = (traceparent: string) => WriteTrace | undefined
