import { sql, type Transaction } from 'kysely'
import type { Level } from '../access/delta'
import {
  actorColumns,
  auditCap,
  auditRoles,
  type Actor,
  type AuditedResource,
} from './access-audit'
import type { DirectorySchema, GrantedRole, InheritedRole } from './schema'

type Trx = Transaction<DirectorySchema>

/**
 * Serializes changes of access in one org until the transaction ends; false when the org does not exist.
 * Earlier reads may be stale afterwards.
 */
export async function lockOrg(trx: Trx, orgId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from orgs where id = ${orgId} for update`.execute(trx)
  return rows.length > 0
}

/**
 * Blocks changes of access in these orgs until the transaction ends. Earlier reads may be stale afterwards.
 */
export async function holdOrgs(trx: Trx, orgIds: readonly number[]): Promise<void> {
  // In id order, which prevents deadlocks between transactions that lock several.
  await sql`
    select 1 from orgs where id = any(${orgIds}::integer[]) order by id for share`.execute(trx)
}

/**
 * As `holdOrgs`, for the org of a workspace; returns its id, or undefined when the workspace does not exist.
 */
export async function holdOrgOf(trx: Trx, workspaceId: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select o.id from workspaces w join orgs o on o.id = w.org_id
    where w.id = ${workspaceId} for share of o`.execute(trx)
  return rows[0]?.id
}

const tables = {
  org: { grants: 'org_grants', key: 'org_id' },
  workspace: { grants: 'workspace_grants', key: 'workspace_id' },
  document: { grants: 'document_grants', key: 'document_id' },
} as const satisfies Record<Level, unknown>

/** Returns the direct roles of these users on a resource. */
export async function findRoles(
  trx: Trx,
  { level, id }: AuditedResource,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, GrantedRole>> {
  const { grants, key } = tables[level]
  const { rows } = await sql<{ user_id: number; role: GrantedRole }>`
    select user_id, role from ${sql.table(grants)}
    where ${sql.ref(key)} = ${id} and user_id = any(${userIds}::integer[])`.execute(trx)
  return new Map(rows.map(({ user_id, role }) => [user_id, role]))
}

/**
 * Grants users roles on a resource, or revokes them (null); records changes in the audit and returns their
 * number.
 */
export async function putRoles(
  trx: Trx,
  actor: Actor,
  resource: AuditedResource,
  roles: ReadonlyMap<number, GrantedRole | null>,
): Promise<number> {
  const known = await findRoles(trx, resource, [...roles.keys()])
  const changes = [...roles]
    .map(([userId, to]) => ({ userId, from: known.get(userId) ?? null, to }))
    .filter(({ from, to }) => from !== to)
  const { grants, key } = tables[resource.level]
  const given = changes.filter(({ to }) => to !== null)
  const taken = changes.filter(({ to }) => to === null)
  if (taken.length > 0)
    await sql`
      delete from ${sql.table(grants)} where ${sql.ref(key)} = ${resource.id}
        and user_id = any(${taken.map(({ userId }) => userId)}::integer[])`.execute(trx)
  if (given.length > 0)
    await sql`
      insert into ${sql.table(grants)} (${sql.ref(key)}, user_id, role)
      select ${resource.id}::integer, user_id, role from unnest(
        ${given.map(({ userId }) => userId)}::integer[], ${given.map(({ to }) => to)}::access_role[]
      ) as g (user_id, role)
      on conflict (${sql.ref(key)}, user_id) do update set role = excluded.role`.execute(trx)
  await auditRoles(trx, actor, resource, changes)
  return changes.length
}

/** Changes a resource's cap on inherited roles. */
export async function putCap(
  trx: Trx,
  actor: Actor,
  resource: AuditedResource & { readonly level: 'workspace' | 'document' },
  change: { readonly from: InheritedRole; readonly to: InheritedRole },
): Promise<void> {
  const table = `${resource.level}s` as const
  await trx
    .updateTable(table)
    .set({ max_inherited_role: change.to })
    .where('id', '=', resource.id)
    .execute()
  await auditCap(trx, actor, resource, change)
}

/** The result of revoking roles inside an org. */
export interface RevokedRoles {
  readonly count: number
  /** Resources that lost a direct owner and now have none, direct or inherited. */
  readonly ownerless: readonly AuditedResource[]
}

/** Revokes users' roles on the workspaces and documents of an org, and records that in the audit. */
export async function revokeInside(
  trx: Trx,
  actor: Actor,
  orgId: number,
  userIds: readonly number[],
): Promise<RevokedRoles> {
  const workspaces = await revokeLevel(trx, actor, { level: 'workspace', orgId, userIds })
  const documents = await revokeLevel(trx, actor, { level: 'document', orgId, userIds })
  return {
    count: workspaces.count + documents.count,
    ownerless: [
      ...(await findOwnerless(trx, 'workspace', workspaces.disowned)),
      ...(await findOwnerless(trx, 'document', documents.disowned)),
    ].map(({ level, id }) => ({ level, id, orgId })),
  }
}

async function revokeLevel(
  trx: Trx,
  actor: Actor,
  from: { level: 'workspace' | 'document'; orgId: number; userIds: readonly number[] },
): Promise<{ count: number; disowned: number[] }> {
  const { level, orgId, userIds } = from
  const { grants, key } = tables[level]
  const { rows } = await sql<{ count: number; disowned: number[] | null }>`
    with taken as (
      delete from ${sql.table(grants)} g using ${sql.table(`${level}s`)} x
      where x.id = ${sql.ref(`g.${key}`)} and x.org_id = ${orgId} and g.user_id = any(${userIds}::integer[])
      returning x.id, g.user_id, g.role
    ), noted as (
      insert into access_audit (request_id, actor_id, actor_email, org_id, level, resource_id, what,
        subject_id, subject_email, old_role)
      select ${actorColumns(actor)}, ${orgId}::integer, ${level}::text, t.id, 'role', u.id, u.email, t.role
      from taken t join users u on u.id = t.user_id
    )
    select count(*) as count, array_agg(distinct id) filter (where role = 'owners') as disowned from taken`.execute(
    trx,
  )
  return { count: rows[0]?.count ?? 0, disowned: rows[0]?.disowned ?? [] }
}

/**
 * Returns those of these resources that have no owner; the parents of the others have owners who are
 * inherited.
 */
async function findOwnerless(
  trx: Trx,
  level: 'workspace' | 'document',
  ids: readonly number[],
): Promise<{ level: 'workspace' | 'document'; id: number }[]> {
  if (ids.length === 0) return []
  const { grants, key } = tables[level]
  const { rows } = await sql<{ id: number }>`
    select x.id from ${sql.table(`${level}s`)} x
    where x.id = any(${ids}::integer[]) and x.max_inherited_role is distinct from 'owners'
      and not exists (
        select 1 from ${sql.table(grants)} g where ${sql.ref(`g.${key}`)} = x.id and g.role = 'owners'
      )
    order by x.id`.execute(trx)
  return rows.map(({ id }) => ({ level, id }))
}
