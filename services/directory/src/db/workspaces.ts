import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isRemoved, readsHistory } from './documents'
import {
  inheritedDocumentRole,
  isWorkspaceGuest,
  joinDirectGrants,
  joinWorkspaceGrants,
  workspaceRole,
} from './grants'
import type { DirectorySchema, GrantedRole } from './schema'

type Db = Kysely<DirectorySchema>

/** A workspace as one user sees it. */
export interface WorkspaceView {
  readonly id: number
  readonly orgId: number
  readonly name: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When it was moved to the trash; null otherwise. */
  readonly removedAt: Date | null
  /** Sort key of the name in listings. */
  readonly sortName: string
  /** The user's role. */
  readonly role: GrantedRole | null
  /** The role that lists the workspace; null when it is unlisted. */
  readonly listed: GrantedRole | null
  /** True when a document inside is shared with the user. */
  readonly isGuest: boolean
}

/** A document in the listing of its workspace. */
export interface DocumentRow {
  readonly id: number
  readonly docId: string
  readonly workspaceId: number
  readonly name: string
  readonly isPinned: boolean
  readonly urlId: string | null
  /** ISO 8601 in UTC, as all times of a listing. */
  readonly createdAt: string
  readonly updatedAt: string
  /** Name of the user who changed it last; null unless the caller may read its history. */
  readonly updatedBy: string | null
  /** When the document itself was moved to the trash; null otherwise. */
  readonly removedAt: string | null
  readonly role: GrantedRole | null
  readonly listed: GrantedRole | null
}

async function selectWorkspaces(
  db: Db,
  userId: number,
  condition: RawBuilder<unknown>,
): Promise<WorkspaceView[]> {
  const user = sql<number>`${userId}`
  const { rows } = await sql<WorkspaceView>`
    select w.id, w.org_id as "orgId", w.name, w.created_at as "createdAt", w.updated_at as "updatedAt",
      w.removed_at as "removedAt", lower(w.name) as "sortName",
      ${workspaceRole('role')} as role, ${workspaceRole('listed')} as listed,
      ${isWorkspaceGuest(user)} as "isGuest"
    from workspaces w
    join orgs o on o.id = w.org_id
    ${joinWorkspaceGrants(user)}
    where ${condition}
    order by lower(w.name), w.id`.execute(db)
  return rows
}

/** Which documents to list: in the trash, not in the trash, or both. */
export type Shown = 'live' | 'removed' | 'all'

function shownCondition(shown: Shown): RawBuilder<unknown> {
  if (shown === 'all') return sql`true`
  return shown === 'removed' ? isRemoved : sql`not ${isRemoved}`
}

/** Conditions of a listing of documents: on workspaces `w` and on documents `d` inside them, … */
interface Listing {
  readonly workspaces: RawBuilder<unknown>
  readonly documents: RawBuilder<unknown>
  /** … and on documents `d`, whose workspace `w` has its key `w."sortName"`. */
  readonly page: RawBuilder<unknown>
  readonly limit: number
}

/** Columns of a listing, each an array with one element per document; null when there are no documents. */
type DocumentColumns = { readonly [K in keyof DocumentRow]: DocumentRow[K][] | null }

/**
 * Returns documents that the user can open or that are listed for them, by workspace and time of creation. Inherited roles
 * are computed once for each workspace. PostgreSQL returns one JSON array per column: a row of its protocol per document,
 * with parsed times, takes several times as long to read.
 */
async function selectDocuments(
  db: Db,
  userId: number,
  { workspaces, documents, page, limit }: Listing,
): Promise<DocumentRow[]> {
  const user = sql<number>`${userId}`
  const { rows } = await sql<DocumentColumns>`
    with places as materialized (
      select w.id, lower(w.name) as "sortName", w.removed_at,
        ${workspaceRole('role')} as role, ${workspaceRole('listed')} as listed
      from workspaces w
      join orgs o on o.id = w.org_id
      ${joinWorkspaceGrants(user)}
      where ${workspaces}
    )
    select json_agg(id) as id, json_agg("docId") as "docId", json_agg("workspaceId") as "workspaceId",
      json_agg(name) as name, json_agg("isPinned") as "isPinned", json_agg("urlId") as "urlId",
      json_agg("createdAt") as "createdAt", json_agg("updatedAt") as "updatedAt",
      json_agg(case when ${readsHistory(sql`role`)} then "updatedBy" end) as "updatedBy",
      json_agg("removedAt") as "removedAt", json_agg(role) as role, json_agg(listed) as listed
    from (select * from (
      select d.id, d.doc_id as "docId", d.workspace_id as "workspaceId", d.name,
        d.is_pinned as "isPinned", d.url_id as "urlId", d.created_at at time zone 'utc' as "createdAt",
        d.updated_at at time zone 'utc' as "updatedAt",
        u.name as "updatedBy",
        d.removed_at at time zone 'utc' as "removedAt", w."sortName",
        ${inheritedDocumentRole('role')} as role, ${inheritedDocumentRole('listed')} as listed
      from documents d
      join places w on w.id = d.workspace_id
      left join users u on u.id = d.updated_by
      ${joinDirectGrants(user)}
      where d.published_at is not null and ${documents} and ${page}
    ) seen
    where role is not null or listed is not null
    order by "sortName", "workspaceId", id limit ${limit}) page`.execute(db)
  const [columns] = rows
  return columns ? readDocuments(columns) : []
}

/** Documents from their columns. */
function readDocuments(columns: DocumentColumns): DocumentRow[] {
  const at = <K extends keyof DocumentRow>(key: K, index: number): DocumentRow[K] => {
    const value = columns[key]?.[index]
    if (value === undefined) throw new Error(`a column of a listing is too short: ${key}`)
    return value
  }
  return (columns.id ?? []).map((id, index) => {
    const removedAt = at('removedAt', index)
    return {
      id,
      docId: at('docId', index),
      workspaceId: at('workspaceId', index),
      name: at('name', index),
      isPinned: at('isPinned', index),
      urlId: at('urlId', index),
      createdAt: toIso(at('createdAt', index)),
      updatedAt: toIso(at('updatedAt', index)),
      updatedBy: at('updatedBy', index),
      removedAt: removedAt === null ? null : toIso(removedAt),
      role: at('role', index),
      listed: at('listed', index),
    }
  })
}

/** A time without zone in JSON, with up to six digits of a second's fraction, as ISO 8601 in UTC. */
function toIso(time: string): string {
  return time.length >= ISO_LENGTH
    ? `${time.slice(0, ISO_LENGTH)}Z`
    : new Date(`${time}Z`).toISOString()
}

/** Length of `2006-01-02T15:04:05.000`. */
const ISO_LENGTH = 23

/** Position in the listing of an org: a workspace by sort key, and a document. */
export interface Place {
  readonly sortName: string
  readonly workspaceId: number
  readonly documentId: number
}

/**
 * Returns the numbers of documents and workspaces of an org. As long as no change is announced to holders of leases,
 * which all removals are, these numbers change whenever something is added.
 */
export async function countOrgContents(
  db: Db,
  orgId: number,
): Promise<{ documents: number; workspaces: number }> {
  const { rows } = await sql<{ documents: number; workspaces: number }>`
    select (select count(*)::integer from documents where org_id = ${orgId} and published_at is not null) as documents,
      (select count(*)::integer from workspaces where org_id = ${orgId}) as workspaces`.execute(db)
  return rows[0] ?? { documents: 0, workspaces: 0 }
}

/** Returns workspaces of an org from a position on, by name, whether or not the user may see them. */
export const listWorkspaces = (
  db: Db,
  userId: number,
  orgId: number,
  from: Place | undefined,
): Promise<WorkspaceView[]> =>
  selectWorkspaces(
    db,
    userId,
    from === undefined
      ? sql`w.org_id = ${orgId}`
      : sql`w.org_id = ${orgId}
          and (lower(w.name), w.id) >= (${from.sortName}::text, ${from.workspaceId}::integer)`,
  )

/** Returns a workspace, whether or not the user may see it. */
export async function findWorkspace(
  db: Db,
  userId: number,
  workspaceId: number,
): Promise<WorkspaceView | undefined> {
  const [workspace] = await selectWorkspaces(db, userId, sql`w.id = ${workspaceId}`)
  return workspace
}

/** Returns a page of the documents of an org that the user can open or that are listed for them. */
export function listOrgDocuments(
  db: Db,
  userId: number,
  orgId: number,
  page: { shown: Shown; after: Place | undefined; limit: number },
): Promise<DocumentRow[]> {
  const { shown, after, limit } = page
  const isLater =
    after === undefined
      ? sql`true`
      : sql`(w."sortName", w.id, d.id) > (
          ${after.sortName}::text, ${after.workspaceId}::integer, ${after.documentId}::integer
        )`
  return selectDocuments(db, userId, {
    workspaces: sql`w.org_id = ${orgId}`,
    documents: sql`d.org_id = ${orgId}`,
    page: sql`${shownCondition(shown)} and ${isLater}`,
    limit,
  })
}

/**
 * Returns a page of the documents of a workspace that the user can open or that are listed for them, by time
 * of creation.
 */
export function listWorkspaceDocuments(
  db: Db,
  userId: number,
  workspaceId: number,
  page: { shown: Shown; afterId: number; limit: number },
): Promise<DocumentRow[]> {
  const { shown, afterId, limit } = page
  return selectDocuments(db, userId, {
    workspaces: sql`w.id = ${workspaceId}`,
    documents: sql`d.workspace_id = ${workspaceId} and d.id > ${afterId}`,
    page: shownCondition(shown),
    limit,
  })
}

/** Creates a workspace, owned by `ownerId` if given, and returns its id. */
export async function insertWorkspace(
  db: Db,
  workspace: { orgId: number; name: string; ownerId: number | undefined },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with w as (
      insert into workspaces (org_id, name) values (${workspace.orgId}, ${workspace.name}) returning id
    ), wg as (
      insert into workspace_grants (workspace_id, user_id, role)
      select w.id, u.id, 'owners' from w, users u where u.id = ${workspace.ownerId ?? null}::integer
    )
    select id from w`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a workspace was not created')
  return row.id
}

/** Renames a workspace. */
export async function updateWorkspace(db: Db, workspaceId: number, name: string): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ name, updated_at: sql<Date>`now()` })
    .where('id', '=', workspaceId)
    .execute()
}
