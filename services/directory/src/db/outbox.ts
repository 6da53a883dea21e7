import { sql, type Kysely } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema>

/** Something that one service has to hear, and has not confirmed yet. */
export interface OutboxEntry {
  readonly id: number
  /** Who has to hear it. */
  readonly consumer: string
  readonly kind: 'document_deleted'
  readonly docId: string
  /** Name of the instance that has, or had, the document's file. */
  readonly home: string
  /** Where that instance is reached; null when it never reported. */
  readonly homeAddress: string | null
  /** How often it has been tried, this time included. */
  readonly attempts: number
}

/** Entries of one consumer that go the same way, so that one failure says something of all of them. */
export const laneOf = ({ consumer, home }: Pick<OutboxEntry, 'consumer' | 'home'>): string =>
  `${consumer} ${home}`

/** What to take of the outbox. */
export interface Claim {
  /** Only what this one has to hear. */
  readonly consumer: string
  /** Lanes that are left alone at the moment. */
  readonly pausedLanes: readonly string[]
  readonly limit: number
  /** How long nobody else takes the entries: longer than delivering them may last. */
  readonly leaseMs: number
}

const seconds = (ms: number) => sql`make_interval(secs => ${ms / 1000}::float8)`

/**
 * Takes entries that are due, oldest first, so that any number of instances share the work. Whoever takes some and dies
 * loses only time: when the lease is over they are due again.
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

/** Forgets entries that have been confirmed. */
export async function deleteEntries(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await sql`delete from outbox where id = any(${ids}::bigint[])`.execute(db)
}

/** Makes an entry due after a while. */
export async function postponeEntry(db: Db, id: number, ms: number): Promise<void> {
  await sql`update outbox set due_at = now() + ${seconds(ms)} where id = ${id}`.execute(db)
}
