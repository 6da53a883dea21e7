import type { AppError } from '@sheaf/kit/errors'
import type { ChangesPlan } from '../feed/changes-plan'
import type { ExportPlan } from '../exports/export-parts'
import type { ReadPlan } from '../reads/read-plan'

/** What a worker thread can read. */
export type ThreadPlan = ReadPlan | ExportPlan | ChangesPlan

/** A read in a worker thread. */
export interface ReadRequest {
  readonly kind: 'read'
  readonly id: number
  readonly path: string
  readonly plan: ThreadPlan
  /** Shared with the thread; when its one element is not 0, the read is given up at the next chance. */
  readonly stop: Int32Array
  /** Chunks that the thread may make before it is asked for more. */
  readonly ahead: number
}

/** Statements that write, one after the other on a connection of their own. */
export interface RunRequest {
  readonly kind: 'run'
  readonly id: number
  readonly path: string
  readonly statements: readonly string[]
}

/** What a worker thread is told. */
export type ToWorker =
  | ReadRequest
  | RunRequest
  /** One more chunk may be made. */
  | { readonly kind: 'more'; readonly id: number }
  /** Nobody takes more of this read. */
  | { readonly kind: 'end'; readonly id: number }

/** An error as it travels between threads. */
export interface SerializedError {
  readonly name: string
  readonly message: string
  /** Code of SQLite or of the operating system; empty when there is none. */
  readonly code: string
  /** What else there is of an error that the caller can act on. */
  readonly appError?: Pick<AppError, 'code' | 'reason' | 'metadata'>
}

/** What a worker thread tells. */
export type FromWorker =
  /** The snapshot is taken, at this log position. */
  | { readonly kind: 'begun'; readonly id: number; readonly seq: number }
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: ArrayBuffer }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SerializedError }
