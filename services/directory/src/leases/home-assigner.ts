import { AppError } from '@sheaf/kit/errors'
import type { Kysely } from 'kysely'
import { findAssignment, reassign, type Assignment } from '../db/assignments'
import type { DirectorySchema } from '../db/schema'

/** Attempts while other instances of directory assign the same document, or its instance comes back. */
const ATTEMPTS = 5

/** Assigns documents to other instances when the lease of theirs has ended. */
export class HomeAssigner {
  private count = 0

  constructor(private readonly db: Kysely<DirectorySchema>) {}

  /** Number of documents that were assigned to another instance. */
  get reassigned(): number {
    return this.count
  }

  /**
   * The live assignment of a document: `known`, or a new one when the lease of its instance has ended. Throws
   * `unavailable` when no replicated instance is live, or the document is pinned; returns undefined when the document no longer exists.
   */
  async assign(docId: string, known: Assignment | undefined): Promise<Assignment | undefined> {
    let present = known
    const isToMove = () => present?.isHomeEnded === true && !present.isPinned
    for (let attempt = 0; present && isToMove() && attempt < ATTEMPTS; attempt++)
      present = (await this.reassign(docId, present)) ?? (await findAssignment(this.db, docId))
    if (present?.isHomeEnded)
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'document unavailable, retry later', {
        retryAfterMs: '1000',
      })
    return present
  }

  private async reassign(docId: string, ended: Assignment): Promise<Assignment | undefined> {
    const assigned = await reassign(this.db, docId, ended)
    if (assigned) this.count++
    return assigned
  }
}
