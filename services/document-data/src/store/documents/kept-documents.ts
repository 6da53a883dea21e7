import { AppError, toAppError } from '@sheaf/kit/errors'
import type { DocumentFiles } from '../sqlite/document-files'
import { translateSqliteError } from '../sqlite/sqlite-errors'
import type { Replicator } from './replicator'

const DAY_MS = 24 * 3600 * 1000
/** Milliseconds between two looks at the files that are kept. */
const LOOK_MS = 60_000

/** Dependencies of KeptDocuments. */
export interface KeptDocumentsParts {
  /** Days for which removed documents are kept; 0 for not at all. */
  readonly keptDays: number
  readonly replicator: Replicator | undefined
  /** Copies the file of a document in a thread. */
  readonly duplicate: (path: string, to: string) => Promise<void>
  /** Called with every file error before it is translated for the caller. */
  readonly onFileError: (error: unknown, docId: string) => void
}

/**
 * Documents that were removed and are kept for some days: with replication in the log and the store, otherwise in files of this
 * instance, which are removed earlier, oldest first, when the disk is nearly full.
 */
export class KeptDocuments implements AsyncDisposable {
  private readonly timer: NodeJS.Timeout
  private looking: Promise<void> | undefined

  constructor(
    private readonly files: DocumentFiles,
    private readonly parts: KeptDocumentsParts,
  ) {
    this.timer = setInterval(() => this.look(), LOOK_MS).unref()
    this.look()
  }

  /**
   * Writes a document that was removed, as it was then, to a new path. Throws `not_found` when nothing is kept of it, and
   * `unavailable` when what is kept cannot be read.
   */
  async write(docId: string, path: string): Promise<void> {
    const { replicator, duplicate } = this.parts
    this.files.requireId(docId)
    try {
      // A file is kept only of a document of which the log has less, or nothing.
      const kept = this.files.kept.find(docId)
      if (kept !== undefined) await duplicate(kept, path)
      else if (!(await replicator?.copyDeleted(docId, path))) throw notKept()
    } catch (error) {
      if (toAppError(error)) throw error
      this.parts.onFileError(error, docId)
      throw translateSqliteError(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer)
    await this.looking
  }

  /** Begins to remove what is not kept any longer. */
  look(): void {
    this.looking ??= this.trim()
      .catch((error: unknown) => this.parts.onFileError(error, ''))
      .finally(() => (this.looking = undefined))
  }

  /** Removes files that were kept long enough, and the oldest ones while the disk is nearly full. */
  private async trim(): Promise<void> {
    const { kept } = this.files
    for (let oldest = await kept.findOldest(); oldest; oldest = await kept.findOldest()) {
      const isExpired = oldest.deletedAt <= Date.now() - this.parts.keptDays * DAY_MS
      if (!isExpired && (await this.files.lackingBytes()) <= 0) return
      await kept.drop(oldest.docId)
    }
  }
}

/** The refusal to make a document again that was not deleted, or is not kept any more. */
export function notKept(): AppError {
  return new AppError(
    'not_found',
    'DELETED_DOCUMENT_NOT_FOUND',
    'nothing is kept of the deleted document any more',
  )
}
