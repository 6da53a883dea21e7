import type { Kysely } from 'kysely'
import type { WebhookSchema } from './schema'

/** Leaves a tombstone for a document; one that is there already stays as it is. */
export async function deleteDocument(db: Kysely<WebhookSchema>, docId: string): Promise<void> {
  await db
    .insertInto('tombstones')
    .values({ doc_id: docId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
