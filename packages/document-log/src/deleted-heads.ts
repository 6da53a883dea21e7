import { sql } from 'kysely'
import { markOf, type OpenedHead } from './heads'
import type { LogTablesDb } from './schema'

/** Where the log of a deleted document ended, and its latest snapshot. */
export type KeptHead = Pick<OpenedHead, 'lsn' | 'snapshot'>

/**
 * Deletes a document: no record is accepted any more. A document without a log cannot be created any more. Deleting it
 * again is the same as once. Returns the position of the last record of its log; 0 when that never had anything of it.
 * @param keeps true to keep its log and its snapshot until `forgetHead`, false to remove them at once
 */
export async function deleteHead(db: LogTablesDb, doc: string, keeps: boolean): Promise<number> {
  // One that is kept counts as collected meanwhile: instances of former releases remove all that the store has of any other.
  const { rows } = await sql<{ lsn: number }>`
    insert into head (doc, instance, lsn, unpublished, deleted, deleted_at, collected)
    values (${doc}, '', 0, false, true, ${keeps ? sql`now()` : null}, ${keeps})
    on conflict (doc) do update set term = head.term + 1, deleted = true,
      deleted_at = case when head.deleted then head.deleted_at else excluded.deleted_at end,
      collected = case when head.deleted then head.collected else excluded.collected end
    returning lsn`.execute(db)
  if (!keeps) await forgetHead(db, doc)
  return rows[0]?.lsn ?? 0
}

/** A deleted document. */
export interface DeletedHead {
  readonly doc: string
  /** True while what is left of it is kept. */
  readonly isKept: boolean
  /** Position of the last record of its log; 0 when that never had anything of it. */
  readonly lsn: number
}

/** Of these documents, those that were deleted. */
export async function listDeleted(
  db: LogTablesDb,
  docs: readonly string[],
): Promise<DeletedHead[]> {
  const { rows } = await sql<DeletedHead>`
    select doc, deleted_at is not null as "isKept", lsn from head
    where doc = any(${docs}::uuid[]) and deleted`.execute(db)
  return rows
}

/** What is kept of a deleted document; undefined when that is nothing, or the document was not deleted. */
export async function findKept(db: LogTablesDb, doc: string): Promise<KeptHead | undefined> {
  const found = await db
    .selectFrom('head')
    .select(['lsn', 'snapshot', 'snapshot_lsn', 'snapshot_term'])
    .where('doc', '=', doc)
    .where('deleted', '=', true)
    .where('deleted_at', 'is not', null)
    .where('lsn', '>', 0)
    // An instance of a former release that is told of the deletion, too, removes both.
    .where(
      sql<boolean>`(snapshot is not null or exists (select from record r where r.doc = head.doc))`,
    )
    .executeTakeFirst()
  return found && { lsn: found.lsn, snapshot: markOf(found) }
}

/** Removes the log of a deleted document; what the store has of it can then be removed. */
export async function forgetHead(db: LogTablesDb, doc: string): Promise<void> {
  // One statement: once it is to be collected, an instance of a former release may do that, which leaves the log as it is.
  await sql`
    with h as (
      update head set deleted_at = null, collected = false, snapshot = null, snapshot_lsn = null, snapshot_term = null
      where doc = ${doc} and deleted returning doc
    )
    delete from record r using h where r.doc = h.doc`.execute(db)
}

/** Which deleted documents to list. */
export interface ExpiredAfter {
  /** Those that were deleted at least so many days ago, and those of which nothing was to be kept. */
  readonly days: number
  /** Only those behind this one, by id; undefined for the first. */
  readonly after: string | undefined
  readonly limit: number
}

/** Deleted documents of which something may be left that is not kept any longer, by id. */
export async function listExpired(
  db: LogTablesDb,
  { days, after, limit }: ExpiredAfter,
): Promise<string[]> {
  const isBehind = after === undefined ? sql<boolean>`true` : sql<boolean>`doc > ${after}::uuid`
  const { rows } = await sql<{ doc: string }>`
    select doc from (
      select doc from head where deleted and not collected
      union
      select doc from head where deleted_at <= now() - make_interval(days => ${days}::integer)
    ) expired where ${isBehind} order by doc limit ${limit}`.execute(db)
  return rows.map(({ doc }) => doc)
}

/** Stores that nothing of a deleted document is left. */
export async function markCollected(db: LogTablesDb, doc: string): Promise<void> {
  await db.updateTable('head').set({ collected: true }).where('doc', '=', doc).execute()
}
