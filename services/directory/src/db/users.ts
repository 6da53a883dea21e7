import { sql, type Kysely, type Transaction } from 'kysely'
import { insertOrg } from './orgs'
import { insertFirstPreferences } from './preferences'
import { EVERYONE_ID, type DirectorySchema } from './schema'

/** A user who can sign in. */
export interface UserRow {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly created_at: Date
}

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>
const columns = ['id', 'email', 'name', 'created_at'] as const

/** Returns the user with this email (lower case), or undefined; never a public user. */
export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .select(columns)
    .where('email', '=', email)
    .where('kind', '=', 'login')
    .executeTakeFirst()
}

/** True when the user exists and can sign in. */
export async function userExists(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('kind', '=', 'login')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns users with a greater id, by id. */
export function listUsers(db: Db, afterId: number, limit: number): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .select(columns)
    .where('id', '>', Math.max(afterId, EVERYONE_ID))
    .where('kind', '=', 'login')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Returns the names of the users with these ids, by id; deleted accounts are omitted. */
export async function listUserNames(
  db: Db,
  ids: readonly number[],
): Promise<Pick<UserRow, 'id' | 'email' | 'name'>[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('users')
    .select(['id', 'email', 'name'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}

/**
 * Returns the user with this email; creates them with their personal site `Personal` and its workspace `Home`
 * if needed. An invited user receives site and name now. Safe under concurrency: one caller creates the user,
 * the others find them.
 */
export async function ensureUser(
  db: Kysely<DirectorySchema>,
  { email, name }: { email: string; name: string },
): Promise<{ user: UserRow; created: boolean }> {
  const known = await findUserByEmail(db, email)
  if (known && (await hasPersonalOrg(db, known.id))) return { user: known, created: false }
  return db.transaction().execute(async (trx) => {
    const made = await trx
      .insertInto('users')
      .values({ kind: 'login', email, name, picture: null })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning(columns)
      .executeTakeFirst()
    const user = made ?? (await nameInvitedUser(trx, { email, name }))
    if (!user) throw new Error('a user was neither created nor found')
    await ensurePersonalOrg(trx, user.id)
    return { user, created: made !== undefined }
  })
}

/** The same for an existing, possibly only invited user; returns false when there is none. */
export async function completeUser(
  db: Kysely<DirectorySchema>,
  { email, name }: { email: string; name: string },
): Promise<boolean> {
  const known = await findUserByEmail(db, email)
  if (!known || (await hasPersonalOrg(db, known.id))) return known !== undefined
  return db.transaction().execute(async (trx) => {
    const user = await nameInvitedUser(trx, { email, name })
    if (user) await ensurePersonalOrg(trx, user.id)
    return user !== undefined
  })
}

async function ensurePersonalOrg(trx: Transaction<DirectorySchema>, userId: number): Promise<void> {
  if (await hasPersonalOrg(trx, userId)) return
  const org = { name: 'Personal', domain: null, ownerId: userId, creatorId: userId }
  await insertFirstPreferences(trx, { orgId: await insertOrg(trx, org), userId })
}

/**
 * Returns the user with this email, if there is one, and sets their name if they have none. Locks the row, so
 * that only one caller completes them.
 */
async function nameInvitedUser(
  trx: Transaction<DirectorySchema>,
  { email, name }: { email: string; name: string },
): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`
    update users set name = case name when '' then ${name} else name end
    where email = ${email} and kind = 'login'
    returning ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(trx)
  return rows[0]
}

async function hasPersonalOrg(db: Db, userId: number): Promise<boolean> {
  const org = await db
    .selectFrom('orgs')
    .select('id')
    .where('owner_id', '=', userId)
    .executeTakeFirst()
  return org !== undefined
}

/** A user, public or not, identified by email. */
export interface NamedUser {
  readonly id: number
  readonly kind: 'login' | 'anonymous' | 'everyone'
  readonly email: string
}

/** Returns the users with these emails (lower case), the public ones included. */
export async function findNamedUsers(db: Db, emails: readonly string[]): Promise<NamedUser[]> {
  const { rows } = await sql<NamedUser>`
    select id, kind, email from users where email = any(${emails}::text[]) order by id`.execute(db)
  return rows
}

/**
 * Creates users for unknown emails (lower case): they have no name and no site until they sign in. Returns
 * the users of all these emails, including existing ones.
 */
export async function inviteUsers(db: Db, emails: readonly string[]): Promise<NamedUser[]> {
  if (emails.length === 0) return []
  // In order, which prevents deadlocks between concurrent invitations of the same users.
  await sql`
    insert into users (kind, email, name)
    select 'login', email, '' from unnest(${[...emails].sort()}::text[]) as e (email)
    on conflict (email) do nothing`.execute(db)
  return findNamedUsers(db, emails)
}

/** The profile of a user. */
export interface ProfileRow {
  readonly id: number
  readonly kind: 'login' | 'anonymous' | 'everyone'
  readonly email: string
  readonly name: string
  readonly picture: string | null
}

/** Returns the user with this id, public ones included, or undefined. */
export function findProfile(db: Db, userId: number): Promise<ProfileRow | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'kind', 'email', 'name', 'picture'])
    .where('id', '=', userId)
    .executeTakeFirst()
}

/** Renames a user. */
export async function renameUser(db: Db, userId: number, name: string): Promise<void> {
  await db.updateTable('users').set({ name }).where('id', '=', userId).execute()
}
