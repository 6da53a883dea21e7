import { listUncollected, markCollected } from '@sheaf/document-log/heads'
import type { SnapshotParts } from './snapshot-jobs'

/** Milliseconds between attempts to remove what is left of deleted documents. */
const COLLECT_MS = 3600 * 1000

/** Removes what the store still has of deleted documents: at once, or later while the store is away. */
export class DeletedDocuments implements Disposable {
  private readonly timer: NodeJS.Timeout

  constructor(private readonly parts: Pick<SnapshotParts, 'database' | 'stored' | 'log'>) {
    this.timer = setInterval(() => void this.collect(), COLLECT_MS)
    this.timer.unref()
    void this.collect()
  }

  /** Removes a document from the store; does not throw. */
  async collectOne(docId: string): Promise<void> {
    const { database, stored, log } = this.parts
    try {
      await stored.remove(docId)
      await markCollected(await database.tables(), docId)
    } catch (error) {
      log.warn({ err: error, docId }, 'failed to remove a deleted document, retrying later')
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer)
  }

  private async collect(): Promise<void> {
    try {
      const tables = await this.parts.database.tables()
      for (const docId of await listUncollected(tables)) await this.collectOne(docId)
    } catch (error) {
      this.parts.log.warn({ err: error }, 'failed to list deleted documents, retrying later')
    }
  }
}
