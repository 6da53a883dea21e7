import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isRemoved } from './documents'
import {
  documentRole,
  isWorkspaceGuest,
  joinDocumentGrants,
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
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When the document itself was moved to the trash; null otherwise. */
  readonly removedAt: Date | null
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

/**
 * Returns documents with `condition` that the user can open or that are listed for them, by workspace and
 * time of creation.
 */
async function selectDocuments(
  db: Db,
  userId: number,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<DocumentRow[]> {
  const { rows } = await sql<DocumentRow>`
    select * from (
      select d.id, d.doc_id as "docId", d.workspace_id as "workspaceId", d.name,
        d.is_pinned as "isPinned", d.url_id as "urlId", d.created_at as "createdAt",
        d.updated_at as "updatedAt", d.removed_at as "removedAt", lower(w.name) as "sortName",
        ${documentRole('role')} as role, ${documentRole('listed')} as listed
      from documents d
      join workspaces w on w.id = d.workspace_id
      join orgs o on o.id = d.org_id
      ${joinDocumentGrants(sql`${userId}`)}
      where d.published_at is not null and ${condition}
    ) seen
    where role is not null or listed is not null
    order by "sortName", "workspaceId", id limit ${limit}`.execute(db)
  return rows
}

/** Position in the listing of an org: a workspace by sort key, and a document. */
export interface Place {
  readonly sortName: string
  readonly workspaceId: number
  readonly documentId: number
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
      : sql`(lower(w.name), w.id, d.id) > (
          ${after.sortName}::text, ${after.workspaceId}::integer, ${after.documentId}::integer
        )`
  const condition = sql`d.org_id = ${orgId} and ${shownCondition(shown)} and ${isLater}`
  return selectDocuments(db, userId, condition, limit)
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
  const condition = sql`d.workspace_id = ${workspaceId} and d.id > ${afterId} and ${shownCondition(shown)}`
  return selectDocuments(db, userId, condition, limit)
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
