import type { Kysely, Transaction } from 'kysely'
import { insertOrg } from './orgs'
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

/** The user with this email (lower case), or undefined; the public users are not found. */
function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .select(columns)
    .where('email', '=', email)
    .where('kind', '=', 'login')
    .executeTakeFirst()
}

/** True when there is such a user and they can sign in. */
export async function userExists(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('kind', '=', 'login')
    .executeTakeFirst()
  return row !== undefined
}

/** Users with a greater id, by id. */
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

/**
 * The user with this email, made with their personal site `Personal` and its workspace `Home` if there was none. Safe
 * when several callers ask at once: one makes the user, the others find them.
 */
export async function ensureUser(
  db: Kysely<DirectorySchema>,
  { email, name }: { email: string; name: string },
): Promise<{ user: UserRow; created: boolean }> {
  const known = await findUserByEmail(db, email)
  if (known) return { user: known, created: false }
  return db.transaction().execute(async (trx) => {
    const user = await trx
      .insertInto('users')
      .values({ kind: 'login', email, name, picture: null })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning(columns)
      .executeTakeFirst()
    if (user) {
      await insertOrg(trx, { name: 'Personal', domain: null, ownerId: user.id, creatorId: user.id })
      return { user, created: true }
    }
    const other = await findUserByEmail(trx, email)
    if (!other) throw new Error('a user was neither made nor found')
    return { user: other, created: false }
  })
}

/** What a user sees of themselves. */
export interface ProfileRow {
  readonly id: number
  readonly kind: 'login' | 'anonymous' | 'everyone'
  readonly email: string
  readonly name: string
  readonly picture: string | null
}

/** The user with this id, the public ones too, or undefined. */
export function findProfile(db: Db, userId: number): Promise<ProfileRow | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'kind', 'email', 'name', 'picture'])
    .where('id', '=', userId)
    .executeTakeFirst()
}

/** Gives a user another name. */
export async function renameUser(db: Db, userId: number, name: string): Promise<void> {
  await db.updateTable('users').set({ name }).where('id', '=', userId).execute()
}
