import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** On whose behalf a link is made. */
export type LinkOrigin = 'operator' | 'mail'

/** Most open links of a user, by origin: so nobody's mailbox is filled, and nobody else's asking uses up an operator's. */
export const MAX_LINKS: Readonly<Record<LinkOrigin, number>> = { operator: 100, mail: 5 }

/** A link to make. */
export interface NewLink {
  readonly hash: Buffer
  readonly userId: number
  readonly origin: LinkOrigin
  readonly next: string
  readonly lifeSeconds: number
}

/**
 * Makes a link; returns when it ends, undefined when its user has as many as they can have, or is gone. Those who make
 * links for one user take turns until their transactions end.
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

/** The link with this hash, unless it has ended. */
export async function findLink(db: Db, hash: Buffer): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`
    select l.user_id, u.email, l.next from sign_in_links l join users u on u.id = l.user_id
    where l.hash = ${hash} and l.expires_at > now()`.execute(db)
  return rows[0]
}

/** Ends a link; false when somebody else did so before, or its time was over. */
export async function useLink(trx: Transaction<DirectorySchema>, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from sign_in_links where hash = ${hash} and expires_at > now() returning 1`.execute(trx)
  return rows.length > 0
}

/** Ends all open links of a user. */
export async function endLinksOf(db: Db, userId: number): Promise<void> {
  await sql`delete from sign_in_links where user_id = ${userId}`.execute(db)
}

/** Forgets links whose time is over. */
export async function deleteEndedLinks(db: Db): Promise<void> {
  await sql`delete from sign_in_links where expires_at <= now()`.execute(db)
}
