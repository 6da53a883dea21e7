import { randomUUID } from 'node:crypto'
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
import type { WebhookSchema } from './schema'

/** Due webhooks that are considered at once. */
const SCAN = 2_000

/** The exclusive right to deliver for one webhook. A holder that has lost it can change nothing. */
export interface Lease {
  readonly webhookId: string
  readonly leaseId: string
  /** Host and port of its URL when the lease was granted. */
  readonly target: string
}

/** Which webhooks to claim. */
export interface Claim {
  /** True for those whose last attempt failed, false for all others. */
  readonly failing: boolean
  readonly limit: number
  /** Maximum number of webhooks of one target. */
  readonly perTarget: number
  /** Remaining number for targets that have claimed webhooks already. */
  readonly left: ReadonlyMap<string, number>
  readonly leaseMs: number
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

/** The claimed webhooks. */
export interface Claimed {
  readonly leases: readonly Lease[]
  /** True when more webhooks were due than were considered. */
  readonly isMore: boolean
}

/** Claims due webhooks exclusively until their leases expire, longest overdue first. */
export async function claimDue(db: Kysely<WebhookSchema>, claim: Claim): Promise<Claimed> {
  const left = [...claim.left]
  const full = left.filter(([, places]) => places <= 0).map(([target]) => target)
  const { rows } = await sql<Lease & { considered: number }>`
    with due as (
      select id, target, due_at from webhooks
      where ${isFree} and (failing_since is not null) = ${claim.failing}::boolean
        and target <> all(${full}::text[])
      order by due_at limit ${SCAN}
    ), ranked as (
      select id, target, due_at, row_number() over (partition by target order by due_at) as place
      from due
    ), chosen as (
      select id from ranked left join unnest(
        ${left.map(([target]) => target)}::text[], ${left.map(([, places]) => places)}::int[]
      ) as taken (target, places) using (target)
      where place <= coalesce(places, ${claim.perTarget}::int)
      order by due_at limit ${claim.limit}
    ), locked as (
      select id from webhooks where id in (select id from chosen) and ${isFree} and (select ${asynchronousCommit})
      for update skip locked
    )
    update webhooks w set lease_id = ${randomUUID()}::uuid, lease_until = now() + ${seconds(claim.leaseMs)},
      updated_at = now(), status = case w.status when 'idle' then 'sending' else w.status end
    from locked where w.id = locked.id
    returning w.id as "webhookId", w.lease_id as "leaseId", w.target, (select count(*) from due) as considered`.execute(
    db,
  )
  const leases = rows.map(({ considered: _, ...lease }) => lease)
  return { leases, isMore: rows[0]?.considered === SCAN }
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
