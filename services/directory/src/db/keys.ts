import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DirectorySchema, KeyCapsRow } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** The stored scope of a key. */
export interface KeyScopeRow {
  readonly readOnly: boolean
  readonly orgs: readonly number[]
  readonly workspaces: readonly number[]
  readonly documents: readonly string[]
  readonly caps?: KeyCapsRow | undefined
}

/** The stored columns of an API key, without its hash. */
export interface KeyRow {
  readonly id: number
  readonly user_id: number
  readonly name: string
  readonly prefix: string
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly is_default: boolean
  /** Null for a key without a scope. */
  readonly scope: KeyScopeRow | null
}

/** SQL: the scope of key `k` as JSON; null without one. */
export const keyScope: RawBuilder<KeyScopeRow | null> = sql`
  case when k.read_only or cardinality(k.scope_orgs || k.scope_workspaces) > 0
    or cardinality(k.scope_documents) > 0 or k.caps is not null
  then json_strip_nulls(json_build_object('readOnly', k.read_only, 'orgs', k.scope_orgs,
    'workspaces', k.scope_workspaces, 'documents', k.scope_documents, 'caps', k.caps)) end`

const columns = sql`k.id, k.user_id, k.name, k.prefix, k.created_at, k.expires_at, k.last_used_at,
  k.is_default, ${keyScope} as scope`

/** Maximum number of keys of a user. */
export const MAX_KEYS = 1000

/** When an expired key has expired; undefined for any other key. */
export async function findExpiry(db: Db, hash: Buffer): Promise<Date | undefined> {
  const { rows } = await sql<{ expiry: Date }>`
    select expires_at as expiry from api_keys
    where hash = ${hash} and revoked_at is null and expires_at <= now()`.execute(db)
  return rows[0]?.expiry
}

/** A key to store. */
export interface NewKey {
  readonly userId: number
  readonly name: string
  readonly prefix: string
  readonly hash: Buffer
  readonly expiresAt: Date | null
  readonly scope: KeyScopeRow | undefined
  /** Makes it the user's default key, unless they have one. */
  readonly mayBeDefault: boolean
}

/**
 * Stores a key; undefined when its user has reached the limit or does not exist. Concurrent insertions for
 * one user are serialized until their transactions end, so that the limit and the single default key hold.
 */
export async function insertKey(
  trx: Transaction<DirectorySchema>,
  key: NewKey,
): Promise<KeyRow | undefined> {
  await sql`select 1 from users where id = ${key.userId} for no key update`.execute(trx)
  const { readOnly, orgs, workspaces, documents, caps } = key.scope ?? noScope
  const { rows } = await sql<KeyRow>`
    with k as (
      insert into api_keys (user_id, name, prefix, hash, expires_at, is_default,
        read_only, scope_orgs, scope_workspaces, scope_documents, caps)
      select u.id, ${key.name}, ${key.prefix}, ${key.hash}, ${key.expiresAt}::timestamptz,
        ${key.mayBeDefault}::boolean and not exists (
          select 1 from api_keys d where d.user_id = u.id and d.is_default and d.revoked_at is null
        ),
        ${readOnly}, ${orgs}::integer[], ${workspaces}::integer[], ${documents}::uuid[],
        ${caps ? JSON.stringify(caps) : null}::jsonb
      from users u
      where u.id = ${key.userId} and u.kind = 'login' and ${sql.lit(MAX_KEYS)} > (
        select count(*) from api_keys n where n.user_id = u.id and n.revoked_at is null
      )
      returning *
    )
    select ${columns} from k`.execute(trx)
  return rows[0]
}

const noScope: KeyScopeRow = { readOnly: false, orgs: [], workspaces: [], documents: [] }

/** Returns a user's active keys, by id. */
export async function listKeys(db: Db, userId: number): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select ${columns} from api_keys k where k.user_id = ${userId} and k.revoked_at is null
    order by k.id limit ${sql.lit(MAX_KEYS)}`.execute(db)
  return rows
}

/** Returns the default key of a user, shown in their profile; undefined without one. */
export async function findDefaultKey(db: Db, userId: number): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    select ${columns} from api_keys k
    where k.user_id = ${userId} and k.is_default and k.revoked_at is null`.execute(db)
  return rows[0]
}

/** How a request to revoke names a key. */
export type KeyRef =
  | { readonly id: number }
  | { readonly prefix: string }
  | { readonly hash: Buffer }
  | { readonly defaultOf: number }

/** Revokes a key, of this user if one is given; undefined when there is no such active key. */
export async function revokeKey(
  db: Db,
  ref: KeyRef,
  userId: number | undefined,
): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    update api_keys k set revoked_at = now()
    where k.revoked_at is null and ${refCondition(ref)}
      and ${userId === undefined ? sql`true` : sql`k.user_id = ${userId}`}
    returning ${columns}`.execute(db)
  return rows[0]
}

function refCondition(ref: KeyRef): RawBuilder<unknown> {
  if ('id' in ref) return sql`k.id = ${ref.id}`
  if ('prefix' in ref) return sql`k.prefix = ${ref.prefix}`
  if ('hash' in ref) return sql`k.hash = ${ref.hash}`
  return sql`(k.user_id = ${ref.defaultOf} and k.is_default)`
}

/** Records that keys were used now; a use within the last minute is kept. */
export async function touchKeys(db: Db, keyIds: readonly number[]): Promise<void> {
  await sql`
    update api_keys set last_used_at = now()
    where id = any(${keyIds}::integer[])
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(db)
}
