import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** What is stored of an API key, but its hash. */
export interface KeyRow {
  readonly id: number
  readonly user_id: number
  readonly name: string
  readonly prefix: string
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
}

const columns = [
  'id',
  'user_id',
  'name',
  'prefix',
  'created_at',
  'expires_at',
  'last_used_at',
] as const

/** Most keys that a user can have at once. */
export const MAX_KEYS = 1000

/** Stores a key; undefined when its user has as many as they can have, or there is no such user. */
export async function insertKey(
  db: Db,
  key: { userId: number; name: string; prefix: string; hash: Buffer; expiresAt: Date | null },
): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    insert into api_keys (user_id, name, prefix, hash, expires_at)
    select u.id, ${key.name}, ${key.prefix}, ${key.hash}, ${key.expiresAt}::timestamptz from users u
    where u.id = ${key.userId} and u.kind = 'login' and ${sql.lit(MAX_KEYS)} > (
      select count(*) from api_keys k where k.user_id = u.id and k.revoked_at is null
    )
    returning ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(db)
  return rows[0]
}

/** A user's keys that are not revoked, by id. */
export function listKeys(db: Db, userId: number): Promise<KeyRow[]> {
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .limit(MAX_KEYS)
    .execute()
}

/** How a key is named by who revokes it. */
export type KeyRef =
  { readonly id: number } | { readonly prefix: string } | { readonly hash: Buffer }

/** Revokes a key, of this user if one is given; undefined when there is no such key that is still good. */
export function revokeKey(
  db: Db,
  ref: KeyRef,
  userId: number | undefined,
): Promise<KeyRow | undefined> {
  const update = db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('revoked_at', 'is', null)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? 0))
    .returning(columns)
  if ('id' in ref) return update.where('id', '=', ref.id).executeTakeFirst()
  if ('prefix' in ref) return update.where('prefix', '=', ref.prefix).executeTakeFirst()
  return update.where('hash', '=', ref.hash).executeTakeFirst()
}

/** Records that keys were used now; a use within the last minute stays as it is. */
export async function touchKeys(db: Db, keyIds: readonly number[]): Promise<void> {
  await sql`
    update api_keys set last_used_at = now()
    where id = any(${keyIds}::integer[])
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(db)
}
