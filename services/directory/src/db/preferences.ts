import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Preferences as the JSON text of an object; null where none were stored. */
export interface PreferencesRow {
  /** Of the site, for all its users. */
  readonly org: string | null
  /** Of the user, on all sites. */
  readonly user: string | null
  /** Of the user on this site. */
  readonly userOrg: string | null
}

/** Preferences of a user's first site: clients show a tour to new users until this is cleared. */
const FIRST_PREFERENCES = '{"showGristTour":true}'

/** Returns the preferences that concern a user on a site. */
export async function findPreferences(
  db: Db,
  orgId: number,
  userId: number,
): Promise<PreferencesRow> {
  const { rows } = await sql<PreferencesRow>`
    select o.preferences as "org", u.preferences as "user", x.preferences as "userOrg"
    from orgs o
    left join users u on u.id = ${userId}
    left join user_org_preferences x on x.org_id = o.id and x.user_id = ${userId}
    where o.id = ${orgId}`.execute(db)
  return rows[0] ?? { org: null, user: null, userOrg: null }
}

/** Replaces those preferences that are given. Changes nothing for a user or a site that is gone. */
export async function savePreferences(
  trx: Transaction<DirectorySchema>,
  { orgId, userId }: { readonly orgId: number; readonly userId: number },
  given: { readonly [key in keyof PreferencesRow]: string | undefined },
): Promise<void> {
  const { org, user, userOrg } = given
  if (org !== undefined)
    await sql`update orgs set preferences = ${org} where id = ${orgId}`.execute(trx)
  if (user !== undefined)
    await sql`update users set preferences = ${user} where id = ${userId}`.execute(trx)
  if (userOrg !== undefined)
    await sql`
      insert into user_org_preferences (org_id, user_id, preferences)
      select o.id, u.id, ${userOrg}::text from orgs o, users u
      where o.id = ${orgId} and u.id = ${userId} for key share
      on conflict (org_id, user_id) do update set preferences = excluded.preferences`.execute(trx)
}

/** Stores the preferences with which a new user starts on their personal site. */
export async function insertFirstPreferences(
  trx: Transaction<DirectorySchema>,
  place: { readonly orgId: number; readonly userId: number },
): Promise<void> {
  const given = { org: undefined, user: undefined, userOrg: FIRST_PREFERENCES }
  await savePreferences(trx, place, given)
}
