import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** The stored columns of a session, without its hash. */
export interface SessionRow {
  readonly id: number
  readonly user_id: number
  readonly user_agent: string
  readonly created_at: Date
  readonly last_used_at: Date
  /** When it expires unless it is used. */
  readonly expires_at: Date
  readonly lasts_until: Date
  /** True for the current session of a listing. */
  readonly is_current?: boolean
}

/** SQL: when session `s` expires unless it is used. */
export const sessionEnd: RawBuilder<Date> = sql`least(s.lasts_until, s.last_used_at + s.idle_for)`

const columns = sql`s.id, s.user_id, s.user_agent, s.created_at, s.last_used_at,
  ${sessionEnd} as expires_at, s.lasts_until`

/** Maximum number of sessions of a user; beyond it, the least recently used ones end. */
const MAX_SESSIONS = 100

/** A session to begin. */
export interface NewSession {
  readonly userId: number
  readonly hash: Buffer
  readonly userAgent: string
  /** The session expires when unused for this long, and after `lifeSeconds` in any case. */
  readonly idleSeconds: number
  readonly lifeSeconds: number
}

/** Creates a session; undefined when no such user can sign in. */
export async function insertSession(
  trx: Transaction<DirectorySchema>,
  { userId, hash, userAgent, idleSeconds, lifeSeconds }: NewSession,
): Promise<SessionRow | undefined> {
  const { rows } = await sql<SessionRow>`
    with s as (
      insert into sessions (user_id, hash, user_agent, idle_for, lasts_until)
      select u.id, ${hash}, ${userAgent}, make_interval(secs => ${idleSeconds}::float8),
        now() + make_interval(secs => ${lifeSeconds}::float8)
      from users u where u.id = ${userId} and u.kind = 'login'
      returning *
    )
    select ${columns} from s`.execute(trx)
  return rows[0]
}

/** Ends a user's sessions beyond the maximum; returns their number. */
export async function endSurplusSessions(
  trx: Transaction<DirectorySchema>,
  userId: number,
): Promise<number> {
  const { rows } = await sql`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId}
      order by last_used_at desc, id desc offset ${sql.lit(MAX_SESSIONS)}
    ) returning 1`.execute(trx)
  return rows.length
}

/**
 * Returns a user's active sessions, most recently used first; the one with this hash is marked as current.
 */
export async function listSessions(
  db: Db,
  userId: number,
  current: Buffer | undefined,
): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select ${columns}, s.hash is not distinct from ${current ?? null}::bytea as is_current
    from sessions s where s.user_id = ${userId} and ${sessionEnd} > now()
    order by s.last_used_at desc, s.id desc limit ${sql.lit(MAX_SESSIONS)}`.execute(db)
  return rows
}

/** How a request to end a session names it. */
export type SessionRef = { readonly id: number } | { readonly hash: Buffer }

/** Ends a session, of this user if one is given; false when it does not exist. */
export async function endSession(
  db: Db,
  ref: SessionRef,
  userId: number | undefined,
): Promise<boolean> {
  const { rows } = await sql`
    delete from sessions
    where ${'id' in ref ? sql`id = ${ref.id}` : sql`hash = ${ref.hash}`}
      and ${userId === undefined ? sql`true` : sql`user_id = ${userId}`}
    returning 1`.execute(db)
  return rows.length > 0
}

/** Ends all sessions of a user except the one with the hash `kept`; returns their number. */
export async function endSessionsOf(
  db: Db,
  userId: number,
  kept: Buffer | undefined,
): Promise<number> {
  const { rows } = await sql`
    delete from sessions
    where user_id = ${userId} and hash is distinct from ${kept ?? null}::bytea
    returning 1`.execute(db)
  return rows.length
}

/** Records that sessions were used now; a use within the last minute is kept. */
export async function touchSessions(db: Db, sessionIds: readonly number[]): Promise<void> {
  await sql`
    update sessions set last_used_at = now()
    where id = any(${sessionIds}::integer[]) and last_used_at < now() - interval '1 minute'`.execute(
    db,
  )
}

/** Deletes expired sessions. */
export async function deleteEndedSessions(db: Db): Promise<void> {
  await sql`delete from sessions s where ${sessionEnd} <= now()`.execute(db)
}
