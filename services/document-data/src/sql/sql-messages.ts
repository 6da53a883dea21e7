import type { RowFormat } from '../formats/create-row-writer'
import type { SqlArg } from './statement'

/** How much a statement may give. */
export interface ResultLimits {
  readonly maxRows: number
  /** Of the result as it is sent. */
  readonly maxBytes: number
}

/** A statement to run. */
export interface SqlRequest extends ResultLimits {
  /** File of the document. */
  readonly path: string
  readonly sql: string
  readonly args: readonly SqlArg[]
  /** Form of the result; the REST document when absent. */
  readonly format: RowFormat | undefined
}

/** Which moment of the document a result shows. */
export interface SqlMoment {
  readonly epoch: string
  /** Log position. */
  readonly seq: number
}

/** Messages of a process for SQL: `ready` once, then for each request chunks of the result and how it ended. */
export type FromSqlProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  /** `spent` says that the process takes too much memory to be used again. */
  | {
      readonly kind: 'done'
      readonly moment: SqlMoment
      readonly spent: boolean
      /** The last chunk: a small result is one message. */
      readonly bytes: Uint8Array
    }
  | {
      readonly kind: 'failed'
      /** `limit` for a result that is too large, `statement` for a refusal, `error` for what was thrown. */
      readonly cause: 'limit' | 'statement' | 'error'
      /** Of SQLite, such as `SQLITE_ERROR`; empty when there is none. */
      readonly code: string
      readonly message: string
      readonly spent: boolean
    }
