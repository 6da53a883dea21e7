import { sql, type Kysely, type RawBuilder } from 'kysely'
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
  /** What the user may do. */
  readonly role: GrantedRole | null
  /** Not null where the workspace shows in listings. */
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
      ${workspaceRole('role')} as role, ${workspaceRole('listed')} as listed,
      ${isWorkspaceGuest(user)} as "isGuest"
    from workspaces w
    join orgs o on o.id = w.org_id
    ${joinWorkspaceGrants(user)}
    where ${condition}
    order by lower(w.name), w.id`.execute(db)
  return rows
}

async function selectDocuments(
  db: Db,
  userId: number,
  condition: RawBuilder<unknown>,
): Promise<DocumentRow[]> {
  const { rows } = await sql<DocumentRow>`
    select * from (
      select d.id, d.doc_id as "docId", d.workspace_id as "workspaceId", d.name,
        d.is_pinned as "isPinned", d.url_id as "urlId", d.created_at as "createdAt",
        d.updated_at as "updatedAt",
        ${documentRole('role')} as role, ${documentRole('listed')} as listed
      from documents d
      join workspaces w on w.id = d.workspace_id
      join orgs o on o.id = d.org_id
      ${joinDocumentGrants(sql`${userId}`)}
      where d.published_at is not null and ${condition}
    ) seen
    where role is not null or listed is not null
    order by "createdAt", id`.execute(db)
  return rows
}

/** All workspaces of an org, by name, whether the user may see them or not. */
export const listWorkspaces = (db: Db, userId: number, orgId: number): Promise<WorkspaceView[]> =>
  selectWorkspaces(db, userId, sql`w.org_id = ${orgId}`)

/** A workspace, whether the user may see it or not. */
export async function findWorkspace(
  db: Db,
  userId: number,
  workspaceId: number,
): Promise<WorkspaceView | undefined> {
  const [workspace] = await selectWorkspaces(db, userId, sql`w.id = ${workspaceId}`)
  return workspace
}

/** The documents of an org that the user can open or that are listed to them, by time of creation. */
export const listOrgDocuments = (db: Db, userId: number, orgId: number): Promise<DocumentRow[]> =>
  selectDocuments(db, userId, sql`d.org_id = ${orgId}`)

/** The documents of a workspace that the user can open or that are listed to them, by time of creation. */
export const listWorkspaceDocuments = (
  db: Db,
  userId: number,
  workspaceId: number,
): Promise<DocumentRow[]> => selectDocuments(db, userId, sql`d.workspace_id = ${workspaceId}`)

/** Makes a workspace, owned by `ownerId` if there is one, and returns its id. */
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
  if (!row) throw new Error('a workspace was not made')
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
