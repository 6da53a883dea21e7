import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** A user in a document. */
export interface UserInDocument {
  readonly userId: number
  readonly documentId: number
}

/** Documents of one user of which preferences are kept: those where they were changed last. */
const MAX_DOCUMENTS = 1_000

/** Returns the preferences of a user in a document as the JSON text of an object; undefined where none were stored. */
export async function findDocumentPreferences(
  db: Db,
  { userId, documentId }: UserInDocument,
): Promise<string | undefined> {
  const { rows } = await sql<{ preferences: string }>`
    select preferences from user_document_preferences
    where user_id = ${userId} and document_id = ${documentId}`.execute(db)
  return rows[0]?.preferences
}

/**
 * Locks the preferences of a user in a document, as `{}` where none were stored, and returns their JSON text; undefined
 * when the user or the document is gone. Those of the user that were changed longest ago are removed beyond the limit.
 */
export async function holdDocumentPreferences(
  trx: Transaction<DirectorySchema>,
  { userId, documentId }: UserInDocument,
): Promise<string | undefined> {
  const { rows } = await sql<{ preferences: string; isNew: boolean }>`
    insert into user_document_preferences as p (user_id, document_id, preferences)
    select u.id, d.id, '{}' from users u, documents d
    where u.id = ${userId} and d.id = ${documentId} for key share
    on conflict (user_id, document_id) do update set preferences = p.preferences
    returning p.preferences, p.xmax = 0 as "isNew"`.execute(trx)
  const [held] = rows
  if (held?.isNew === true) await removeOldest(trx, userId)
  return held?.preferences
}

/** Skips rows that another transaction changes: they are not the oldest, and waiting for them could deadlock. */
async function removeOldest(trx: Transaction<DirectorySchema>, userId: number): Promise<void> {
  await sql`
    delete from user_document_preferences
    where user_id = ${userId} and document_id in (
      select document_id from user_document_preferences
      where user_id = ${userId} order by updated_at desc offset ${MAX_DOCUMENTS}
      for update skip locked
    )`.execute(trx)
}

/** Replaces preferences that this transaction holds. */
export async function replaceDocumentPreferences(
  trx: Transaction<DirectorySchema>,
  { userId, documentId }: UserInDocument,
  preferences: string,
): Promise<void> {
  await sql`
    update user_document_preferences set preferences = ${preferences}, updated_at = clock_timestamp()
    where user_id = ${userId} and document_id = ${documentId}`.execute(trx)
}
