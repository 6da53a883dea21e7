import { sql, type Kysely } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema>

/** What one consumer has not confirmed yet. */
interface PendingEntry {
  readonly id: number
  /** Name of the consumer to notify. */
  readonly consumer: string
  /** Name of the instance that stores, or stored, the document's file. */
  readonly home: string
  /** The instance to notify: that one, or the newest live one if it is replicated and its lease has ended; null when there is none. */
  readonly recipient: {
    readonly home: string
    readonly address: string
    /** What it understands: see `DOCUMENT_PROTOCOL`. */
    readonly protocol: number
  } | null
  /** Number of attempts, the current one included. */
  readonly attempts: number
  readonly createdAt: Date
}

/** A deletion that one service has not confirmed yet. */
export interface DeletionEntry extends PendingEntry {
  readonly kind: 'document_deleted'
  readonly docId: string
  /** True when its contents are to be kept for a while. */
  readonly keeps: boolean
}

/** An event of a document that is not published yet. */
export interface DocumentEventEntry extends PendingEntry {
  readonly kind: 'document_event'
  readonly payload: {
    /** UUID of the event. */
    readonly id: string
    readonly kind: 'CREATED' | 'UPDATED' | 'REMOVED' | 'RESTORED' | 'DELETED'
    readonly docId: string
    readonly documentId: number
    readonly workspaceId: number
    readonly orgId: number
    readonly changedFields: readonly string[]
  }
}

/** An event of access that is not published yet. */
export interface AccessEventEntry extends PendingEntry {
  readonly kind: 'access_event'
  readonly payload: {
    /** UUID of the event. */
    readonly id: string
    readonly level: 'org' | 'workspace' | 'document'
    readonly resourceId: number
    /** Empty unless the resource is a document. */
    readonly docId: string
    readonly orgId: number
    readonly what: string
    readonly actorId: number
    readonly subjectId: number
    readonly oldRole: string
    readonly newRole: string
    /** View of the form whose link changed, otherwise 0; absent from events of an older release. */
    readonly viewId?: number
  }
}

/** An event that is not published yet. */
export type EventEntry = DocumentEventEntry | AccessEventEntry

/** An entry of the outbox. */
export type OutboxEntry = DeletionEntry | EventEntry

/** Groups entries of one consumer with the same destination: if one cannot be reached, none of them can. */
export const laneOf = ({ consumer, home }: Pick<PendingEntry, 'consumer' | 'home'>): string =>
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

/** SQL: see PendingEntry, of outbox entry `o`. */
const recipient = sql`(
  select json_build_object('home', t.name, 'address', t.address, 'protocol', t.protocol)
  from homes h join homes t on case
    when h.lease_until <= clock_timestamp() then t.lease_until > clock_timestamp() else t.name = h.name end
  where h.name = o.home order by t.protocol desc, t.name limit 1)`

/**
 * @typeParam Entry the kind of entries that the consumer has
 * Claims due entries and returns them in the order of their creation; any number of instances share the work. When a claimant dies, its entries
 * are due again after the lease.
 */
export async function claimEntries<Entry extends OutboxEntry>(
  db: Db,
  claim: Claim,
): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    with due as (
      select id from outbox
      where due_at <= now() and consumer = ${claim.consumer}
        and consumer || ' ' || home <> all(${claim.pausedLanes}::text[])
      order by due_at, id limit ${claim.limit} for update skip locked
    )
    update outbox o set attempts = o.attempts + 1, due_at = now() + ${seconds(claim.leaseMs)}
    from due where o.id = due.id
    returning o.id, o.consumer, o.kind, o.doc_id as "docId", o.home, o.attempts,
      o.payload, o.created_at as "createdAt", ${recipient} as recipient,
        exists (select 1 from deleted_documents k where k.doc_id = o.doc_id) as keeps`.execute(db)
  return rows.sort((a, b) => a.id - b.id)
}

/** Deletes confirmed entries. */
export async function deleteEntries(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await sql`delete from outbox where id = any(${ids}::bigint[])`.execute(db)
}

/** Postpones an entry. */
export async function postponeEntry(db: Db, id: number, ms: number): Promise<void> {
  await sql`update outbox set due_at = now() + ${seconds(ms)} where id = ${id}`.execute(db)
}

/** Deletes events that could not be published for this many days: their stream would have dropped them. */
export async function deleteOldEvents(db: Db, days: number): Promise<void> {
  await sql`
    delete from outbox
    where kind <> 'document_deleted' and created_at < now() - make_interval(days => ${days})`.execute(
    db,
  )
}
