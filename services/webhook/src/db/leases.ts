import { randomUUID } from 'node:crypto'
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
import type { WebhookSchema } from './schema'

/** Due webhooks that are considered at once. */
export const SCAN = 1_000

/** The exclusive right to deliver for one webhook. A holder that has lost it can change nothing. */
export interface Lease {
  readonly webhookId: string
  readonly leaseId: string
}

/** A kind of webhooks, by their last attempts. */
export type Lane = 'working' | 'slow' | 'failing'

/** Those whose slots the deliveries of a webhook take. */
export interface Parties {
  readonly docId: string
  /** Id of the user who created the webhook; null when it is not known. */
  readonly creator: number | null
  /** The network that the last attempt reached, or the host of the URL before the first one. */
  readonly network: string
}

/** A due webhook. */
export interface DueWebhook extends Parties {
  readonly id: string
}

/** Parties whose webhooks are not considered. */
export interface Excluded {
  readonly documents: ReadonlySet<string>
  readonly creators: ReadonlySet<number>
  readonly networks: ReadonlySet<string>
}

/** A webhook whose row this transaction holds, and the current time. */
export type LeasedWebhook = Selectable<WebhookSchema['webhooks']> & { readonly now: Date }

const seconds = (ms: number) => sql`make_interval(secs => ${ms / 1000}::float8)`
/**
 * SQL: enables asynchronous commit, for changes that may be lost in a crash of the database server, since
 * they would merely be repeated.
 */
export const asynchronousCommit = sql<boolean>`set_config('synchronous_commit', 'off', true) is not null`

const isFree = sql`due_at <= now() and (lease_until is null or lease_until <= now())`

const laneOf = sql`case when failing_since is not null then 'failing' when slow then 'slow' else 'working' end`
const networkOf = sql`coalesce(nullif(network, ''), regexp_replace(target, ':[0-9]*$', ''))`

/** Returns due webhooks of a lane, longest overdue first, `SCAN` at most. */
export async function findDue(
  db: Kysely<WebhookSchema>,
  lane: Lane,
  { documents, creators, networks }: Excluded,
): Promise<readonly DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    select id, doc_id as "docId", creator, ${networkOf} as network from webhooks
    where ${isFree} and ${laneOf} = ${lane}
      and doc_id <> all(${[...documents]}::uuid[])
      and coalesce(creator <> all(${[...creators]}::bigint[]), true)
      and ${networkOf} <> all(${[...networks]}::text[])
    order by due_at limit ${SCAN}`.execute(db)
  return rows
}

/** Claims those of these webhooks that are still due, exclusively until their leases expire. */
export async function claimDue(
  db: Kysely<WebhookSchema>,
  ids: readonly string[],
  leaseMs: number,
): Promise<readonly Lease[]> {
  const { rows } = await sql<Lease>`
    with locked as (
      select id from webhooks
      where id = any(${ids}::uuid[]) and ${isFree} and (select ${asynchronousCommit})
      for update skip locked
    )
    update webhooks w set lease_id = ${randomUUID()}::uuid, lease_until = now() + ${seconds(leaseMs)},
      updated_at = now(), status = case w.status when 'idle' then 'sending' else w.status end
    from locked where w.id = locked.id
    returning w.id as "webhookId", w.lease_id as "leaseId"`.execute(db)
  return rows
}

/** Locks the webhook of a lease; undefined when the lease is lost, or the webhook was deleted. */
export async function lockLeased(
  trx: Transaction<WebhookSchema>,
  { webhookId, leaseId }: Lease,
): Promise<LeasedWebhook | undefined> {
  return trx
    .selectFrom('webhooks')
    .selectAll()
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', webhookId)
    .where('lease_id', '=', leaseId)
    .forUpdate()
    .executeTakeFirst()
}

/** Releases a lease; the webhook is due at once. */
export async function returnLease(db: Kysely<WebhookSchema>, lease: Lease): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ lease_id: null, lease_until: null })
    .set({ due_at: sql`case when due_at is null then null else now() end` })
    .set({ status: sql`case status when 'sending' then 'idle' else status end` })
    .where('id', '=', lease.webhookId)
    .where('lease_id', '=', lease.leaseId)
    .execute()
}
