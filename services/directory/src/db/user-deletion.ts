import { sql, type Transaction } from 'kysely'
import { EVERYONE_ID, type DirectorySchema } from './schema'

type Trx = Transaction<DirectorySchema>

/**
 * Name of a user who can sign in; undefined when there is none. Until the transaction ends nobody can grant them
 * anything, so what is found of their roles afterwards is all.
 */
export async function lockUser(trx: Trx, userId: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from users where id = ${userId} and kind = 'login' for update`.execute(trx)
  return rows[0]?.name
}

/** Names of team orgs, at most ten, that would have no owner without this user; no other owner can leave meanwhile. */
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
 * Makes the owners of an org owners of those workspaces and documents in it that would have none without this user,
 * because they let no owner come down from above. Nobody else gets to see more than before.
 */
export async function handOver(trx: Trx, userId: number): Promise<void> {
  await sql`
    insert into workspace_grants (workspace_id, user_id, role)
    select w.id, heir.user_id, 'owners'
    from workspace_grants g
    join workspaces w on w.id = g.workspace_id
    join org_grants heir on heir.org_id = w.org_id
    where g.user_id = ${userId} and g.role = 'owners' and w.max_inherited_role is distinct from 'owners'
      and not exists (${otherOwner('workspace', sql`w.id`, userId)})
      and heir.role = 'owners' and heir.user_id <> ${userId}
    on conflict (workspace_id, user_id) do update set role = excluded.role`.execute(trx)
  await sql`
    insert into document_grants (document_id, user_id, role)
    select d.id, heir.user_id, 'owners'
    from document_grants g
    join documents d on d.id = g.document_id
    join org_grants heir on heir.org_id = d.org_id
    where g.user_id = ${userId} and g.role = 'owners' and d.max_inherited_role is distinct from 'owners'
      and not exists (${otherOwner('document', sql`d.id`, userId)})
      and heir.role = 'owners' and heir.user_id <> ${userId}
    on conflict (document_id, user_id) do update set role = excluded.role`.execute(trx)
}

/** Deletes a user with their keys, their roles and their personal org with all in it. */
export async function deleteUser(trx: Trx, userId: number): Promise<void> {
  await sql`delete from users where id = ${userId}`.execute(trx)
}
