import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Tables with a trash. */
export type TrashTable = 'workspaces' | 'documents'

/** Moves a workspace or document to the trash, or restores it. Idempotent. */
export async function setRemoved(
  db: Db,
  table: TrashTable,
  id: number,
  removed: boolean,
): Promise<void> {
  const time = removed ? sql`coalesce(removed_at, now())` : sql`null`
  await sql`update ${sql.table(table)} set removed_at = ${time} where id = ${id}`.execute(db)
}

/**
 * Deletes an org, workspace or document with its contents for a user; false when it does not exist. In the same
 * transaction, the triggers on documents write the outbox entries for the other services, and note that the user deleted them.
 */
export async function deleteRow(
  trx: Transaction<DirectorySchema>,
  table: TrashTable | 'orgs',
  { id, userId }: { readonly id: number; readonly userId: number },
): Promise<boolean> {
  await sql`select set_config('sheaf_directory.actor', ${String(userId)}, true)`.execute(trx)
  const { rows } = await sql`delete from ${sql.table(table)} where id = ${id} returning id`.execute(
    trx,
  )
  return rows.length > 0
}

/** Rows per statement of maintenance, which keeps statements short. */
const BATCH = 200

async function deleteWhere(
  db: Db,
  table: TrashTable,
  condition: ReturnType<typeof sql>,
): Promise<number> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where ${condition} limit ${sql.lit(BATCH)}
      for update skip locked
    ) returning id`.execute(db)
  return rows.length
}

/** Deletes some of what has been in the trash for this many days; returns the number of rows, 0 at the end. */
export async function emptyTrash(db: Db, days: number): Promise<number> {
  const isOld = sql`removed_at < now() - make_interval(days => ${days}::integer)`
  return (await deleteWhere(db, 'workspaces', isOld)) + (await deleteWhere(db, 'documents', isOld))
}

/** Deletes some documents that were reserved this many hours ago and never published; returns their number. */
export function deleteUnpublished(db: Db, hours: number): Promise<number> {
  const isOld = sql`published_at is null and created_at < now() - make_interval(hours => ${hours}::integer)`
  return deleteWhere(db, 'documents', isOld)
}
