import { AppError } from '@sheaf/kit/errors'
import type { Kysely } from 'kysely'
import { findAssignment, reassign, type Assignment } from '../db/assignments'
import type { DirectorySchema } from '../db/schema'

/** Attempts while other instances of directory assign the same document, or its instance comes back. */
const ATTEMPTS = 5

/**
 * The live assignment of a document: `known`, or a new one when the lease of its instance has ended. Throws `unavailable`
 * when no replicated instance is live; returns undefined when the document no longer exists.
 */
export async function assignedHome(
  db: Kysely<DirectorySchema>,
  docId: string,
  known: Assignment | undefined,
): Promise<Assignment | undefined> {
  let present = known
  for (let attempt = 0; present?.isHomeEnded && attempt < ATTEMPTS; attempt++)
    present = (await reassign(db, docId, present)) ?? (await findAssignment(db, docId))
  if (present?.isHomeEnded)
    throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'document unavailable, retry later', {
      retryAfterMs: '1000',
    })
  return present
}
