import { sql, type Kysely } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema>

/** A deletion that one service has not confirmed yet. */
export interface OutboxEntry {
  readonly id: number
  /** Name of the service to notify. */
  readonly consumer: string
  readonly kind: 'document_deleted'
  readonly docId: string
  /** Name of the instance that stores, or stored, the document's file. */
  readonly home: string
  /** Address of that instance; null when it never reported. */
  readonly homeAddress: string | null
  /** Number of attempts, the current one included. */
  readonly attempts: number
}

/** Groups entries of one consumer with the same destination: if one cannot be reached, none of them can. */
export const laneOf = ({ consumer, home }: Pick<OutboxEntry, 'consumer' | 'home'>): string =>
  `${consumer} ${home}`

/** Which entries to claim. */
export interface Claim {
  /** Only entries of this consumer. */
  readonly consumer: string
  /** Lanes that are paused after failures. */
  readonly pausedLanes: readonly string[]
  readonly limit: number
  /** How long the claim excludes others: longer than a delivery may take. */
  readonly leaseMs: number
}

const seconds = (ms: number) => sql`make_interval(secs => ${ms / 1000}::float8)`

/**
 * Claims due entries, oldest first; any number of instances share the work. When a claimant dies, its entries
 * are due again after the lease.
 */
export async function claimEntries(db: Db, claim: Claim): Promise<OutboxEntry[]> {
  const { rows } = await sql<OutboxEntry>`
    with due as (
      select id from outbox
      where due_at <= now() and consumer = ${claim.consumer}
        and consumer || ' ' || home <> all(${claim.pausedLanes}::text[])
      order by due_at limit ${claim.limit} for update skip locked
    )
    update outbox o set attempts = o.attempts + 1, due_at = now() + ${seconds(claim.leaseMs)}
    from due where o.id = due.id
    returning o.id, o.consumer, o.kind, o.doc_id as "docId", o.home, o.attempts,
      (select h.address from homes h where h.name = o.home) as "homeAddress"`.execute(db)
  return rows
}

/** Deletes confirmed entries. */
export async function deleteEntries(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await sql`delete from outbox where id = any(${ids}::bigint[])`.execute(db)
}

/** Postpones an entry. */
export async function postponeEntry(db: Db, id: number, ms: number): Promise<void> {
  await sql`update outbox set due_at = now() + ${seconds(ms)} where id = ${id}`.execute(db)
}
