import type { AppError } from '@sheaf/kit/errors'
import type { ChangesPlan } from '../feed/changes-plan'
import type { CopyForm, CopyMoment } from '../exports/document-copy'
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
  /** Shared with the thread; when its only element is not 0, the read is cancelled at the next check. */
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

/** A copy of a document to make. */
export interface CopyRequest {
  readonly kind: 'copy'
  readonly id: number
  readonly path: string
  /** The new file. */
  readonly to: string
  readonly form: CopyForm
}

/** A copy of a file to make, page by page. */
export interface DuplicateRequest {
  readonly kind: 'duplicate'
  readonly id: number
  readonly path: string
  /** The new file. */
  readonly to: string
}

/** A file to check. */
export interface VerifyRequest {
  readonly kind: 'verify'
  readonly id: number
  readonly path: string
}

/** A copy of a document that is to be as it was after an entry of its log. */
export interface TakeBackRequest {
  readonly kind: 'takeBack'
  readonly id: number
  readonly path: string
  readonly seq: number
}

/** Messages to a worker thread. */
export type ToWorker =
  | ReadRequest
  | RunRequest
  | CopyRequest
  | DuplicateRequest
  | VerifyRequest
  | TakeBackRequest
  /** One more chunk may be made. */
  | { readonly kind: 'more'; readonly id: number }
  /** The read is cancelled. */
  | { readonly kind: 'end'; readonly id: number }

/** An error in the form in which it is sent between threads. */
export interface SerializedError {
  readonly name: string
  readonly message: string
  /** Code of SQLite or of the operating system; empty when there is none. */
  readonly code: string
  /** The fields of an AppError. */
  readonly appError?: Pick<AppError, 'code' | 'reason' | 'metadata'>
}

/** Messages of a worker thread. */
export type FromWorker =
  /** The snapshot is taken, at this log position. */
  | { readonly kind: 'begun'; readonly id: number; readonly seq: number }
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: ArrayBuffer }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'copied'; readonly id: number; readonly moment: CopyMoment }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SerializedError }
