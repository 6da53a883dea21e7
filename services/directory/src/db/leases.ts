import { sql, type Kysely, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/**
 * Notification channel on which instances of directory announce changes of access; the payload is the
 * version.
 */
export const ACCESS_CHANNEL = 'sheaf_directory_access'

/**
 * Grants or renews a lease and returns the version for the response. The row lock on the version serializes
 * leases and changes of access: either the change sees the lease and waits for its holder, or the lease sees
 * the change and its response invalidates the holder's cache. A holder without an active lease serves nothing
 * from its cache, so it counts as having dropped all entries older than the response.
 */
export async function renewLease(
  db: Db,
  lease: { holderId: string; droppedVersion: number; leaseMs: number },
): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    with state as (select version from access_state for share),
    lease as (
      insert into access_leases as l (holder_id, expires_at, dropped_version)
      select ${lease.holderId}, clock_timestamp() + make_interval(secs => ${lease.leaseMs / 1000}::float8), version
      from state
      on conflict (holder_id) do update set
        expires_at = excluded.expires_at,
        dropped_version = case
          when l.expires_at <= clock_timestamp() then excluded.dropped_version
          else greatest(l.dropped_version, least(${lease.droppedVersion}::bigint, excluded.dropped_version))
        end
    )
    select version from state`.execute(db)
  return versionOf(rows)
}

/**
 * Increments the access version and notifies the other instances on commit. Must be the last statement: it
 * takes a lock that all changes need. Versions follow the clock, so they increase even if PostgreSQL is
 * restored to an older state.
 */
export async function bumpAccessVersion(trx: Transaction<DirectorySchema>): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    with state as (
      update access_state
      set version = greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)
      returning version
    )
    select version, pg_notify(${ACCESS_CHANNEL}, version::text) from state`.execute(trx)
  return versionOf(rows)
}

/** Returns the access version. */
export async function readAccessVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from access_state`.execute(db)
  return versionOf(rows)
}

/** True while a holder with an active lease may still serve decisions older than the version. */
export async function isLeaseBehind(db: Db, version: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from access_leases
    where expires_at > clock_timestamp() and dropped_version < ${version} limit 1`.execute(db)
  return rows.length > 0
}

/** Deletes holders that have been gone for an hour. */
export async function deleteOldLeases(db: Db): Promise<void> {
  await sql`delete from access_leases where expires_at < now() - interval '1 hour'`.execute(db)
}

function versionOf(rows: readonly { version: number }[]): number {
  const [row] = rows
  if (!row) throw new Error('the access change counter is missing')
  return row.version
}
