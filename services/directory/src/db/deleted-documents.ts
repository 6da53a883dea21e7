import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Rows per statement of maintenance. */
const BATCH = 1000

/** A document that was deleted permanently and can be made again. */
export interface DeletedDocument {
  readonly docId: string
  readonly name: string
  readonly orgId: number
  readonly workspaceId: number
  readonly workspaceName: string
  /** The instance that had its file. */
  readonly home: string
  /** True if no other instance has what is kept of it, though that one is replicated. */
  readonly isPinned: boolean
  /** True if the owners of the org were owners of the document by inheritance. */
  readonly isInherited: boolean
  readonly deletedAt: Date
  readonly keptUntil: Date
  readonly deletedBy: number | null
  readonly deletedByName: string | null
  readonly deletedByEmail: string | null
}

/** Which deleted documents to list. */
export interface DeletedPage {
  /** Of this org, those of which its owners were owners; undefined for all of all orgs. */
  readonly orgId: number | undefined
  /** UUID of the last document of the previous page; undefined for the first page. */
  readonly after: string | undefined
  readonly limit: number
  /** Days for which documents are kept. */
  readonly days: number
}

const isKept = (days: number) =>
  sql<boolean>`d.deleted_at > now() - make_interval(days => ${days}::integer)`

const select = (days: number) => sql`
  select d.doc_id as "docId", d.name, d.org_id as "orgId", d.workspace_id as "workspaceId",
    coalesce(w.name, d.workspace_name) as "workspaceName", d.home, d.is_pinned as "isPinned", d.is_inherited as "isInherited",
    d.deleted_at as "deletedAt", d.deleted_at + make_interval(days => ${days}::integer) as "keptUntil",
    u.id as "deletedBy", u.name as "deletedByName", u.email as "deletedByEmail"
  from deleted_documents d
  left join workspaces w on w.id = d.workspace_id
  left join users u on u.id = d.deleted_by`

/** Deleted documents that are still kept, latest deletion first. */
export async function listDeleted(
  db: Db,
  { orgId, after, limit, days }: DeletedPage,
): Promise<DeletedDocument[]> {
  const ofOrg = orgId === undefined ? sql`true` : sql`d.org_id = ${orgId} and d.is_inherited`
  const isBehind =
    after === undefined
      ? sql`true`
      : // If that one has been forgotten since, so have all that were deleted before it.
        sql`(d.deleted_at, d.doc_id) < (
          select a.deleted_at, a.doc_id from deleted_documents a where a.doc_id = ${after}::uuid)`
  const { rows } = await sql<DeletedDocument>`
    ${select(days)} where ${ofOrg} and ${isKept(days)} and ${isBehind}
    order by d.deleted_at desc, d.doc_id desc limit ${limit}`.execute(db)
  return rows
}

/** A deleted document; undefined when it is not kept, or was not deleted. */
export async function findDeleted(
  db: Db,
  docId: string,
  days: number,
): Promise<DeletedDocument | undefined> {
  const { rows } = await sql<DeletedDocument>`
    ${select(days)} where d.doc_id = ${docId} and ${isKept(days)}`.execute(db)
  return rows[0]
}

/** Forgets some documents that are not kept any more; returns their number, 0 at the end. */
export async function forgetDeleted(db: Db, days: number): Promise<number> {
  const { rows } = await sql`
    delete from deleted_documents where doc_id in (
      select d.doc_id from deleted_documents d where not ${isKept(days)} limit ${sql.lit(BATCH)}
      for update skip locked
    ) returning 1`.execute(db)
  return rows.length
}
