import type { RowFormat } from '../formats/create-row-writer'
import type { SqlArg } from './statement'

/** Limits of a result. */
export interface ResultLimits {
  readonly maxRows: number
  /** Bytes of the result as it is sent. */
  readonly maxBytes: number
}

/** A statement to run. */
export interface SqlRequest extends ResultLimits {
  /** File of the document. */
  readonly path: string
  readonly sql: string
  readonly args: readonly SqlArg[]
  /** Format of the result; the REST document when absent. */
  readonly format: RowFormat | undefined
}

/** The snapshot that a result is read from. */
export interface SqlMoment {
  readonly epoch: string
  /** Log position. */
  readonly seq: number
  /** See `pendingNames`. */
  readonly pendingColumns?: string
}

/**
 * Messages of an SQL process: `ready` once, then for each request the chunks of the result and its outcome.
 */
export type FromSqlProcess =
  | { readonly kind: 'ready'; readonly processorMs: number }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  /**
   * `spent`: the process uses too much memory to be reused. `processorMs`: the processor time that it has used since it
   * started.
   */
  | {
      readonly kind: 'done'
      readonly moment: SqlMoment
      readonly spent: boolean
      readonly processorMs: number
      /** The last chunk, included so that a small result is one message. */
      readonly bytes: Uint8Array
    }
  | {
      readonly kind: 'failed'
      /**
       * `limit` for a result that is too large, `statement` for a rejected statement, `error` for an
       * exception.
       */
      readonly cause: 'limit' | 'statement' | 'error'
      /** SQLite's result code, such as `SQLITE_ERROR`; empty when there is none. */
      readonly code: string
      readonly message: string
      readonly spent: boolean
      readonly processorMs: number
    }
