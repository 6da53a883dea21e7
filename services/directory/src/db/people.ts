import { sql, type Kysely, type Transaction } from 'kysely'
import type { Level } from '../access/delta'
import type { ListedResource, PersonRoles } from '../access/listing'
import { isOrgGuest, isWorkspaceGuest } from './grants'
import type { DirectorySchema, InheritedRole } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Maximum number of users with a role in one org. */
export const MAX_PEOPLE = 10_000

/** The rows of a resource and its ancestors; null for levels that do not apply. */
export interface ResourceRows {
  readonly level: Level
  readonly orgId: number
  readonly workspaceId: number | null
  readonly documentId: number | null
}

/** A user with a role in an org, and their roles on one resource and its ancestors. */
export interface Person extends PersonRoles {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly picture: string | null
}

/** SQL: ids of all users with a role in an org. */
const peopleOf = (orgId: number) => sql`
  select user_id from org_grants where org_id = ${orgId}
  union select g.user_id from workspace_grants g join workspaces x on x.id = g.workspace_id
    where x.org_id = ${orgId}
  union select g.user_id from document_grants g join documents x on x.id = g.document_id
    where x.org_id = ${orgId}`

/** Returns all users with a role in the org of a resource, by id. */
export async function listPeople(
  db: Db,
  { orgId, workspaceId, documentId }: ResourceRows,
): Promise<Person[]> {
  const user = sql<number>`u.id`
  const { rows } = await sql<Person>`
    select u.id, u.kind, u.email, u.name, u.picture,
      og.role as "orgRole", wg.role as "workspaceRole", dg.role as "documentRole",
      ${isOrgGuest(user)} as "isOrgGuest",
      w.id is not null and ${isWorkspaceGuest(user)} as "isWorkspaceGuest"
    from (${peopleOf(orgId)}) p
    join users u on u.id = p.user_id
    join orgs o on o.id = ${orgId}
    left join workspaces w on w.id = ${workspaceId}::integer
    left join org_grants og on og.org_id = o.id and og.user_id = u.id
    left join workspace_grants wg on wg.workspace_id = w.id and wg.user_id = u.id
    left join document_grants dg on dg.document_id = ${documentId}::integer and dg.user_id = u.id
    order by u.id`.execute(db)
  return rows
}

/** Returns the number of users with a role in an org, the public users included. */
export async function countPeople(db: Db, orgId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${peopleOf(orgId)}) p`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the caps on inherited roles of a resource. */
export async function findCaps(
  db: Db,
  { workspaceId, documentId }: ResourceRows,
): Promise<Pick<ListedResource, 'workspaceCap' | 'documentCap'>> {
  const { rows } = await sql<{ workspaceCap: InheritedRole; documentCap: InheritedRole }>`
    select
      (select max_inherited_role from workspaces where id = ${workspaceId}::integer) as "workspaceCap",
      (select max_inherited_role from documents where id = ${documentId}::integer) as "documentCap"`.execute(
    db,
  )
  return rows[0] ?? { workspaceCap: null, documentCap: null }
}
