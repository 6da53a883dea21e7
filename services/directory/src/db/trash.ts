import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** What can be put into the trash. */
export type TrashTable = 'workspaces' | 'documents'

/** Puts a workspace or document into the trash, or takes it out; harmless when it is there, or not, already. */
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
 * Deletes an org, workspace or document with all in it; false when it is not there. The trigger on documents writes, in
 * the same transaction, what the other services have to hear.
 */
export async function deleteRow(db: Db, table: TrashTable | 'orgs', id: number): Promise<boolean> {
  const { rows } = await sql`delete from ${sql.table(table)} where id = ${id} returning id`.execute(
    db,
  )
  return rows.length > 0
}

/** Rows that one statement of tidying takes, so that none takes long. */
const BATCH = 200

async function deleteWhere(db: Db, table: TrashTable, condition: ReturnType<typeof sql>) {
  for (;;) {
    const { rows } = await sql`
      delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where ${condition} limit ${sql.lit(BATCH)}
        for update skip locked
      ) returning id`.execute(db)
    if (rows.length < BATCH) return
  }
}

/** Deletes what has been in the trash for so many days. */
export async function emptyTrash(db: Db, days: number): Promise<void> {
  const isOld = sql`removed_at < now() - make_interval(days => ${days}::integer)`
  await deleteWhere(db, 'workspaces', isOld)
  await deleteWhere(db, 'documents', isOld)
}

/** Deletes documents that were reserved so many hours ago and never published: whoever made them has died. */
export async function deleteUnpublished(db: Db, hours: number): Promise<void> {
  const isOld = sql`published_at is null and created_at < now() - make_interval(hours => ${hours}::integer)`
  await deleteWhere(db, 'documents', isOld)
}
