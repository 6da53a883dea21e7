import type { ErrorCode } from '@sheaf/kit/errors'
import type { ImportProgress, Imported } from './import-file'

/** What an import process tells the one that started it. */
export type FromImport =
  /** It can take its order. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ImportProgress }
  | { readonly kind: 'done'; readonly imported: Imported }
  /** The upload is to blame. */
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly reason: string
      readonly message: string
      readonly metadata: Readonly<Record<string, string>>
    }
  /** Something else is, such as the disk. */
  | {
      readonly kind: 'failed'
      readonly name: string
      readonly message: string
      readonly code: string
    }
