import { sql, type RawBuilder } from 'kysely'
import { ANONYMOUS_ID, EVERYONE_ID, type GrantedRole } from './schema'

/** SQL for the id of the user: a value, or a column of the query. */
export type UserExpression = RawBuilder<number>

/**
 * Which grants apply. `role`: the user's own and those to everybody, which decide permissions. `listed`: the
 * user's own and those to the anonymous user, which decide listings; resources shared with everybody are open
 * but unlisted.
 */
export type RoleColumn = 'role' | 'listed'

const levels = {
  org: { alias: 'og', key: 'org_id', row: 'o.id' },
  workspace: { alias: 'wg', key: 'workspace_id', row: 'w.id' },
  document: { alias: 'dg', key: 'document_id', row: 'd.id' },
} as const

/** SQL: joins the direct roles on one level (rows `o`, `w` or `d`) as `og`, `wg` or `dg`. */
function joinGrants(level: keyof typeof levels, user: UserExpression): RawBuilder<unknown> {
  const { alias, key, row } = levels[level]
  return sql`left join lateral (
    select ${strongest(user)}
    from ${sql.table(`${level}_grants`)} g
    where ${sql.ref(`g.${key}`)} = ${sql.ref(row)} and ${concerns(user)}
  ) ${sql.ref(alias)} on true`
}

/** SQL: the strongest roles of grants `g` on one resource. */
const strongest = (user: UserExpression): RawBuilder<unknown> => sql`
  max(g.role) filter (where g.user_id in (${user}, ${sql.lit(EVERYONE_ID)})) as role,
  max(g.role) filter (where g.user_id in (${user}, ${sql.lit(ANONYMOUS_ID)})) as listed,
  max(g.role) filter (where g.user_id = ${user}) as own`

/** SQL: grant `g` is one to the user, to everybody, or to the anonymous user. */
const concerns = (user: UserExpression): RawBuilder<unknown> =>
  sql`g.user_id in (${user}, ${sql.lit(EVERYONE_ID)}, ${sql.lit(ANONYMOUS_ID)})`

/**
 * SQL: joins the direct roles on documents `d` as `dg`, by the index of the grants: however outdated the statistics of
 * PostgreSQL are, it does not compare every document with every grant.
 */
export const joinDirectGrants = (user: UserExpression): RawBuilder<unknown> =>
  joinGrants('document', user)

/** SQL: joins the grants that `orgRole` needs to a query over orgs `o`. */
export const joinOrgGrants = (user: UserExpression): RawBuilder<unknown> => joinGrants('org', user)

/** SQL: joins the grants that `workspaceRole` needs to a query over orgs `o` and workspaces `w`. */
export const joinWorkspaceGrants = (user: UserExpression): RawBuilder<unknown> =>
  sql`${joinGrants('org', user)} ${joinGrants('workspace', user)}`

/**
 * SQL: joins the grants that `documentRole` needs to a query over orgs `o`, workspaces `w` and documents `d`.
 */
export const joinDocumentGrants = (user: UserExpression): RawBuilder<unknown> =>
  sql`${joinWorkspaceGrants(user)} ${joinDirectGrants(user)}`

/** SQL: the effective role on a workspace: the stronger of the direct and the inherited one. */
export const workspaceRole = (column: RoleColumn): RawBuilder<GrantedRole | null> =>
  sql`greatest(
    ${sql.ref(`wg.${column}`)},
    inherited_role(${sql.ref(`og.${column}`)}, w.max_inherited_role)
  )`

/** SQL: the effective role on a document: the stronger of the direct and the inherited one. */
export const documentRole = (column: RoleColumn): RawBuilder<GrantedRole | null> =>
  documentRoleBelow(workspaceRole(column), column)

/** SQL: as `documentRole`, where `w` has the effective roles on workspaces. */
export const inheritedDocumentRole = (column: RoleColumn): RawBuilder<GrantedRole | null> =>
  documentRoleBelow(sql.ref(`w.${column}`), column)

const documentRoleBelow = (
  workspace: RawBuilder<unknown>,
  column: RoleColumn,
): RawBuilder<GrantedRole | null> =>
  sql`greatest(
    ${sql.ref(`dg.${column}`)},
    inherited_role(${workspace}, d.max_inherited_role)
  )`

/** SQL: true when a resource inside org `o` is shared with the user directly, which makes them a guest. */
export const isOrgGuest = (user: UserExpression): RawBuilder<boolean> =>
  sql`(exists (
    select 1 from workspace_grants g join workspaces x on x.id = g.workspace_id
    where g.user_id = ${user} and x.org_id = o.id and x.removed_at is null
  ) or exists (
    select 1 from document_grants g join documents x on x.id = g.document_id
    join workspaces y on y.id = x.workspace_id
    where g.user_id = ${user} and x.org_id = o.id and x.published_at is not null
      and x.removed_at is null and y.removed_at is null
  ))`

/** SQL: true when a document inside workspace `w` is shared with the user directly. */
export const isWorkspaceGuest = (user: UserExpression): RawBuilder<boolean> =>
  sql`exists (
    select 1 from document_grants g join documents x on x.id = g.document_id
    where g.user_id = ${user} and x.workspace_id = w.id and x.published_at is not null
      and x.removed_at is null
  )`
