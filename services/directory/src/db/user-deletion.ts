import { sql, type Transaction } from 'kysely'
import { actorColumns, type Actor } from './access-audit'
import { EVERYONE_ID, type DirectorySchema } from './schema'

type Trx = Transaction<DirectorySchema>

/**
 * Locks a user who can sign in and returns their name; undefined when there is none. No role can be granted
 * to them until the transaction ends, so later reads of their roles are complete.
 */
export async function lockUser(trx: Trx, userId: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from users where id = ${userId} and kind = 'login' for update`.execute(trx)
  return rows[0]?.name
}

/**
 * Returns the names of at most ten team orgs that would have no owner without this user, and blocks other
 * owners from leaving.
 */
export async function findOrgsOnlyOwnedBy(trx: Trx, userId: number): Promise<string[]> {
  await sql`
    select o.id from orgs o join org_grants g on g.org_id = o.id
    where g.user_id = ${userId} and g.role = 'owners' order by o.id for update of o`.execute(trx)
  const { rows } = await sql<{ name: string }>`
    select o.name from orgs o join org_grants g on g.org_id = o.id
    where g.user_id = ${userId} and g.role = 'owners' and o.owner_id is null
      and not exists (${otherOwner('org', sql`o.id`, userId)})
    order by o.id limit 10`.execute(trx)
  return rows.map(({ name }) => name)
}

const otherOwner = (level: 'org' | 'workspace' | 'document', id: unknown, userId: number) =>
  sql`select 1 from ${sql.table(`${level}_grants`)} x
    where ${sql.ref(`x.${level}_id`)} = ${id} and x.role = 'owners'
      and x.user_id <> ${userId} and x.user_id > ${sql.lit(EVERYONE_ID)}`

/**
 * Makes the owners of an org direct owners of workspaces and documents that would have none without this
 * user, because their cap blocks inherited owners, and records that in the audit. Nobody else gains access.
 */
export async function transferOwnership(trx: Trx, actor: Actor): Promise<void> {
  const { userId } = actor
  for (const level of ['workspace', 'document'] as const) {
    const key = sql.ref(`${level}_id`)
    const grants = sql.table(`${level}_grants`)
    await sql`
      with heirs as (
        select r.id, r.org_id, heir.user_id, known.role as old_role
        from ${grants} g
        join ${sql.table(`${level}s`)} r on r.id = g.${key}
        join org_grants heir on heir.org_id = r.org_id
        left join ${grants} known
          on known.${key} = r.id and known.user_id = heir.user_id
        where g.user_id = ${userId} and g.role = 'owners' and r.max_inherited_role is distinct from 'owners'
          and not exists (${otherOwner(level, sql`r.id`, userId)})
          and heir.role = 'owners' and heir.user_id <> ${userId}
      ), given as (
        insert into ${grants} (${key}, user_id, role)
        select id, user_id, 'owners' from heirs
        on conflict (${key}, user_id) do update set role = excluded.role
      )
      insert into access_audit (request_id, actor_id, actor_email, org_id, level, resource_id, what,
        subject_id, subject_email, old_role, new_role)
      select ${actorColumns(actor)}, h.org_id, ${level}::text, h.id, 'role', u.id, u.email, h.old_role, 'owners'
      from heirs h join users u on u.id = h.user_id`.execute(trx)
  }
}

/** Records in the audit that a user loses their roles in other orgs. */
export async function auditRevokedRoles(trx: Trx, actor: Actor): Promise<void> {
  const { userId, email } = actor
  await sql`
    insert into access_audit (request_id, actor_id, actor_email, org_id, level, resource_id, what,
      subject_id, subject_email, old_role)
    select ${actorColumns(actor)}, o.id, lost.level, lost.id, 'role', ${userId}::integer, ${email}::text, lost.role
    from (
      select 'org' as level, g.org_id as id, g.org_id, g.role from org_grants g where g.user_id = ${userId}
      union all
      select 'workspace', x.id, x.org_id, g.role
      from workspace_grants g join workspaces x on x.id = g.workspace_id where g.user_id = ${userId}
      union all
      select 'document', x.id, x.org_id, g.role
      from document_grants g join documents x on x.id = g.document_id where g.user_id = ${userId}
    ) lost
    join orgs o on o.id = lost.org_id
    where o.owner_id is distinct from ${userId}::integer`.execute(trx)
}

/** Deletes a user with their keys, roles and personal org. */
export async function deleteUser(trx: Trx, userId: number): Promise<void> {
  await sql`delete from users where id = ${userId}`.execute(trx)
}
