import { brokenUniqueConstraint } from '@sheaf/kit/postgres/database'
import { AppError } from '@sheaf/kit/errors'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { SiteRef } from '../access/resolve'
import { isOrgGuest, joinOrgGrants } from './grants'
import type { DirectorySchema, GrantedRole } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** An org as one user sees it. */
export interface OrgView {
  readonly id: number
  readonly name: string
  readonly domain: string | null
  /** Owner of a personal org. */
  readonly ownerId: number | null
  readonly ownerName: string | null
  readonly ownerPicture: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** The user's role. */
  readonly role: GrantedRole | null
  /** True when the role, or a part of it, was granted to the user rather than to the public. */
  readonly isOwn: boolean
  /** True when a resource inside is shared with the user. */
  readonly isGuest: boolean
  /** Sort key of the name in listings. */
  readonly sortName: string
}

/** SQL: sorts the user's personal org first. */
const isOther = (userId: number) => sql`(o.owner_id is distinct from ${userId}::integer)`

function selectOrgs(
  db: Db,
  userId: number,
  condition: RawBuilder<unknown>,
  limit = 1,
): Promise<OrgView[]> {
  const user = sql<number>`${userId}`
  return sql<OrgView>`
    select o.id, o.name, o.domain, o.owner_id as "ownerId", u.name as "ownerName",
      u.picture as "ownerPicture", o.created_at as "createdAt", o.updated_at as "updatedAt",
      og.role, og.own is not null as "isOwn", ${isOrgGuest(user)} as "isGuest", lower(o.name) as "sortName"
    from orgs o
    left join users u on u.id = o.owner_id
    ${joinOrgGrants(user)}
    where ${condition}
    order by ${isOther(userId)}, lower(o.name), o.id limit ${limit}`
    .execute(db)
    .then(({ rows }) => rows)
}

/** SQL: org `o` is the named site. */
export function siteCondition(
  site: SiteRef | undefined,
  user: RawBuilder<number>,
): RawBuilder<unknown> {
  switch (site?.kind) {
    case undefined:
      return sql`false`
    case 'none':
    case 'personal':
      return sql`o.owner_id = ${user}`
    case 'owner':
      return sql`o.owner_id = ${site.ownerId}`
    case 'number':
      return sql`o.id = ${site.id}`
    case 'domain':
      return sql`o.domain = ${site.domain}`
  }
}

/** Returns the named org, whether or not the user may see it; without a site, their personal one. */
export async function findOrg(
  db: Db,
  userId: number,
  site: SiteRef | undefined,
): Promise<OrgView | undefined> {
  if (site === undefined) return undefined
  const [org] = await selectOrgs(db, userId, siteCondition(site, sql`${userId}`))
  return org
}

/** Position of an org in a user's listing. */
export interface OrgPlace {
  /** False for the user's personal org. */
  readonly isOther: boolean
  readonly sortName: string
  readonly id: number
}

/**
 * Returns a page of the orgs in which the user has a role or a shared resource, their personal one first,
 * then by name.
 */
export function listOrgs(
  db: Db,
  userId: number,
  { after, limit }: { after: OrgPlace | undefined; limit: number },
): Promise<OrgView[]> {
  const isLater =
    after === undefined
      ? sql`true`
      : sql`(${isOther(userId)}, lower(o.name), o.id) > (
          ${after.isOther}::boolean, ${after.sortName}::text, ${after.id}::integer
        )`
  return selectOrgs(
    db,
    userId,
    sql`o.id in (
      select org_id from org_grants where user_id = ${userId}
      union select x.org_id from workspace_grants g join workspaces x on x.id = g.workspace_id
        where g.user_id = ${userId} and x.removed_at is null
      union select x.org_id from document_grants g join documents x on x.id = g.document_id
        join workspaces y on y.id = x.workspace_id
        where g.user_id = ${userId} and x.published_at is not null
          and x.removed_at is null and y.removed_at is null
    ) and ${isLater}`,
    limit,
  )
}

/**
 * Creates an org with a workspace `Home`, both owned by the creator. Throws `invalid` when the domain is in
 * use.
 */
export async function insertOrg(
  db: Db,
  org: { name: string; domain: string | null; ownerId: number | null; creatorId: number },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with o as (
      insert into orgs (name, domain, owner_id) values (${org.name}, ${org.domain}, ${org.ownerId}) returning id
    ), og as (
      insert into org_grants (org_id, user_id, role) select id, ${org.creatorId}, 'owners' from o
    ), w as (
      insert into workspaces (org_id, name) select id, 'Home' from o returning id
    ), wg as (
      insert into workspace_grants (workspace_id, user_id, role) select id, ${org.creatorId}, 'owners' from w
    )
    select id from o`
    .execute(db)
    .catch(domainInUse)
  const [row] = rows
  if (!row) throw new Error('an org was not created')
  return row.id
}

/** Updates an org. Throws `invalid` when the domain is in use. */
export async function updateOrg(
  db: Db,
  orgId: number,
  change: { name?: string; domain?: string },
): Promise<void> {
  await db
    .updateTable('orgs')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('id', '=', orgId)
    .execute()
    .catch(domainInUse)
}

function domainInUse(error: unknown): never {
  if (brokenUniqueConstraint(error) === 'orgs_domain_key')
    throw new AppError('invalid', 'DOMAIN_IN_USE', 'Domain already in use', { field: 'domain' })
  throw error
}
