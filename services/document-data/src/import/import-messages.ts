import type { ErrorCode } from '@sheaf/kit/errors'
import type { ImportProgress, Imported, ImportRequest, Previewed } from './import-file'

/** What an import process is to do. */
export interface ToImport {
  readonly kind: 'import' | 'preview'
  readonly request: ImportRequest
}

/** Messages of an import process. */
export type FromImport =
  /** Ready to receive its request. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  | { readonly kind: 'done'; readonly outcome: Imported | Previewed }
  /** The upload is faulty. */
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly reason: string
      readonly message: string
      readonly metadata: Readonly<Record<string, string>>
    }
  /** Something else failed, such as the disk. */
  | {
      readonly kind: 'failed'
      readonly name: string
      readonly message: string
      readonly code: string
    }
