import type { ErrorCode } from '@sheaf/kit/errors'
import type { ImportProgress, Imported } from './import-file'

/** Messages of an import process. */
export type FromImport =
  /** Ready to receive its request. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  | { readonly kind: 'done'; readonly imported: Imported }
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
