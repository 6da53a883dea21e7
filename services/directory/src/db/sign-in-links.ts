import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** Who requested a link. */
export type LinkOrigin = 'operator' | 'mail'

/**
 * Maximum number of open links of a user, by origin: this limits mails to one address, and requests of others
 * cannot use up an operator's links.
 */
export const MAX_LINKS: Readonly<Record<LinkOrigin, number>> = { operator: 100, mail: 5 }

/** A link to create. */
export interface NewLink {
  readonly hash: Buffer
  readonly userId: number
  readonly origin: LinkOrigin
  readonly next: string
  readonly lifeSeconds: number
}

/**
 * Creates a link and returns its expiry; undefined when its user has reached the limit or does not exist.
 * Concurrent insertions for one user are serialized until their transactions end.
 */
export async function insertLink(
  trx: Transaction<DirectorySchema>,
  { hash, userId, origin, next, lifeSeconds }: NewLink,
): Promise<Date | undefined> {
  await sql`select 1 from users where id = ${userId} for no key update`.execute(trx)
  const { rows } = await sql<{ expires_at: Date }>`
    insert into sign_in_links (hash, user_id, origin, next, expires_at)
    select ${hash}, u.id, ${origin}, ${next}, now() + make_interval(secs => ${lifeSeconds}::float8)
    from users u
    where u.id = ${userId} and u.kind = 'login' and ${MAX_LINKS[origin]}::integer > (
      select count(*) from sign_in_links l
      where l.user_id = u.id and l.origin = ${origin} and l.expires_at > now()
    )
    returning expires_at`.execute(trx)
  return rows[0]?.expires_at
}

/** An open link. */
export interface LinkRow {
  readonly user_id: number
  readonly email: string
  readonly next: string
}

/** Returns the link with this hash unless it has expired. */
export async function findLink(db: Db, hash: Buffer): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`
    select l.user_id, u.email, l.next from sign_in_links l join users u on u.id = l.user_id
    where l.hash = ${hash} and l.expires_at > now()`.execute(db)
  return rows[0]
}

/** Deletes a link on use; false when it has been used or has expired. */
export async function useLink(trx: Transaction<DirectorySchema>, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from sign_in_links where hash = ${hash} and expires_at > now() returning 1`.execute(trx)
  return rows.length > 0
}

/** Deletes all open links of a user. */
export async function endLinksOf(db: Db, userId: number): Promise<void> {
  await sql`delete from sign_in_links where user_id = ${userId}`.execute(db)
}

/** Deletes expired links. */
export async function deleteEndedLinks(db: Db): Promise<void> {
  await sql`delete from sign_in_links where expires_at <= now()`.execute(db)
}
