import { sql, type RawBuilder } from 'kysely'
import { ANONYMOUS_ID, EVERYONE_ID, type GrantedRole } from './schema'

/** Id of the user whose roles are wanted: a value, or a column of the query. */
export type UserExpression = RawBuilder<number>

/**
 * Which grants count. `role`: what the user may do, by their own grants and those to everybody. `listed`: what shows
 * in listings, by their own grants and those to the anonymous user; what is shared with everybody is open but unlisted.
 */
export type RoleColumn = 'role' | 'listed'

const levels = {
  org: { alias: 'og', key: 'org_id', row: 'o.id' },
  workspace: { alias: 'wg', key: 'workspace_id', row: 'w.id' },
  document: { alias: 'dg', key: 'document_id', row: 'd.id' },
} as const

/** SQL that joins the direct roles on one level (rows `o`, `w` or `d`) as `og`, `wg` or `dg`. */
function joinGrants(level: keyof typeof levels, user: UserExpression): RawBuilder<unknown> {
  const { alias, key, row } = levels[level]
  return sql`left join lateral (
    select
      max(g.role) filter (where g.user_id in (${user}, ${sql.lit(EVERYONE_ID)})) as role,
      max(g.role) filter (where g.user_id in (${user}, ${sql.lit(ANONYMOUS_ID)})) as listed,
      max(g.role) filter (where g.user_id = ${user}) as own
    from ${sql.table(`${level}_grants`)} g
    where ${sql.ref(`g.${key}`)} = ${sql.ref(row)}
      and g.user_id in (${user}, ${sql.lit(EVERYONE_ID)}, ${sql.lit(ANONYMOUS_ID)})
  ) ${sql.ref(alias)} on true`
}

/** Joins what `orgRole` needs to a query over orgs `o`. */
export const joinOrgGrants = (user: UserExpression): RawBuilder<unknown> => joinGrants('org', user)

/** Joins what `workspaceRole` needs to a query over orgs `o` and workspaces `w`. */
export const joinWorkspaceGrants = (user: UserExpression): RawBuilder<unknown> =>
  sql`${joinGrants('org', user)} ${joinGrants('workspace', user)}`

/** Joins what `documentRole` needs to a query over orgs `o`, workspaces `w` and documents `d`. */
export const joinDocumentGrants = (user: UserExpression): RawBuilder<unknown> =>
  sql`${joinWorkspaceGrants(user)} ${joinGrants('document', user)}`

/** The effective role on a workspace: the better of the direct one and what comes down from the org. */
export const workspaceRole = (column: RoleColumn): RawBuilder<GrantedRole | null> =>
  sql`greatest(
    ${sql.ref(`wg.${column}`)},
    inherited_role(${sql.ref(`og.${column}`)}, w.max_inherited_role)
  )`

/** The effective role on a document: the better of the direct one and what comes down from the workspace. */
export const documentRole = (column: RoleColumn): RawBuilder<GrantedRole | null> =>
  sql`greatest(
    ${sql.ref(`dg.${column}`)},
    inherited_role(${workspaceRole(column)}, d.max_inherited_role)
  )`

/** True where something inside org `o` is shared with the user directly, which makes them a guest of it. */
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

/** True where a document inside workspace `w` is shared with the user directly. */
export const isWorkspaceGuest = (user: UserExpression): RawBuilder<boolean> =>
  sql`exists (
    select 1 from document_grants g join documents x on x.id = g.document_id
    where g.user_id = ${user} and x.workspace_id = w.id and x.published_at is not null
      and x.removed_at is null
  )`
