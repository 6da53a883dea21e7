import { sql, type Kysely } from 'kysely'
import type { DirectorySchema } from './schema'

/** A key pair with its id; the JSON Web Keys are texts, since no query inspects them. */
export interface StoredKey {
  readonly kid: string
  readonly privateJwk: string
  readonly publicJwk: string
}

/**
 * Returns the keys for caller tokens, newest first, and stores one made by `generate` if there are none. All
 * instances of directory share them.
 */
export async function ensureSigningKeys(
  db: Kysely<DirectorySchema>,
  generate: () => Promise<StoredKey>,
): Promise<readonly [StoredKey, ...StoredKey[]]> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('sheaf directory signing key', 0))`.execute(
      trx,
    )
    const [newest, ...older] = await trx
      .selectFrom('signing_keys')
      .select(['kid', 'private_jwk as privateJwk', 'public_jwk as publicJwk'])
      .orderBy('created_at', 'desc')
      .execute()
    if (newest) return [newest, ...older] as const
    const made = await generate()
    const { kid, privateJwk: private_jwk, publicJwk: public_jwk } = made
    await trx.insertInto('signing_keys').values({ kid, private_jwk, public_jwk }).execute()
    return [made] as const
  })
}
