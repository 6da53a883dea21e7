import {
  deleteHead,
  findKept,
  forgetHead,
  listExpired,
  markCollected,
} from '@sheaf/document-log/deleted-heads'
import type { DocumentFiles } from '../store/sqlite/document-files'
import type { DocumentCopies } from './document-copies'
import { isInLog } from './file-position'
import type { SnapshotParts } from './snapshot-jobs'

/** Milliseconds between attempts to remove what is left of deleted documents, and documents of one look at the log. */
const COLLECT_MS = 3600 * 1000
const BATCH = 100

/** What DeletedDocuments needs. */
export interface DeletedParts extends Pick<SnapshotParts, 'database' | 'stored' | 'log'> {
  readonly files: DocumentFiles
  /** Days for which deleted documents are kept. */
  readonly keptDays: number
}

/**
 * Deletes documents, and removes what the log and the store have of them: at once, or once they have been kept long enough;
 * later while the store is away.
 */
export class DeletedDocuments implements Disposable {
  private readonly timer: NodeJS.Timeout
  private isClosed = false

  constructor(
    private readonly copies: DocumentCopies,
    private readonly parts: DeletedParts,
  ) {
    this.timer = setInterval(() => void this.collect(), COLLECT_MS)
    this.timer.unref()
    void this.collect()
  }

  /** See Replicator.remove. Nothing can be appended to its log any more. */
  async remove(docId: string, keeps: boolean): Promise<boolean> {
    const lsn = await deleteHead(await this.parts.database.tables(), docId, keeps)
    if (!keeps) await this.collectOne(docId)
    return isInLog(this.parts.files.pathOf(docId), lsn)
  }

  /** See Replicator.copyDeleted. */
  async copy(docId: string, path: string): Promise<boolean> {
    const tables = await this.parts.database.tables()
    const head = await findKept(tables, docId)
    if (!head) return false
    try {
      await this.copies.write(tables, path, { docId, head })
      return true
    } catch (error) {
      // It may have been removed meanwhile.
      if (await findKept(tables, docId)) throw error
      return false
    }
  }

  /** Removes a document; does not throw. */
  private async collectOne(docId: string): Promise<void> {
    const { database, stored, log } = this.parts
    try {
      const tables = await database.tables()
      // First, so that nobody takes what is being removed for a document that can be made again.
      await forgetHead(tables, docId)
      await stored.remove(docId)
      await markCollected(tables, docId)
    } catch (error) {
      log.warn({ err: error, docId }, 'failed to remove a deleted document, retrying later')
    }
  }

  [Symbol.dispose](): void {
    this.isClosed = true
    clearInterval(this.timer)
  }

  private async collect(): Promise<void> {
    const { database, keptDays: days, log } = this.parts
    try {
      for (let after: string | undefined; !this.isClosed;) {
        const found = await listExpired(await database.tables(), { days, after, limit: BATCH })
        for (const docId of found) if (!this.isClosed) await this.collectOne(docId)
        after = found.at(-1)
        if (after === undefined) return
      }
    } catch (error) {
      log.warn({ err: error }, 'failed to list deleted documents, retrying later')
    }
  }
}
