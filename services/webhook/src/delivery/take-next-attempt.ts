import { transact } from '@sheaf/kit/postgres/database'
import type { Kysely } from 'kysely'
import { lockLeased, type Lease, type LeasedWebhook } from '../db/leases'
import { takeNext, type WaitingDelivery } from '../db/next-delivery'
import { updateWebhook, type WebhookChange } from '../db/outcomes'
import type { WebhookSchema } from '../db/schema'
import {
  idleStatus,
  applyOutcome,
  type CompletedAttempt,
  type OutgoingDelivery,
} from './apply-outcome'

/** Options for the step between two attempts. */
export interface NextAttemptOptions {
  /** False to send nothing more now and release the lease. */
  readonly mayContinue: boolean
  /** Duration by which the lease is extended. */
  readonly leaseMs: number
}

/**
 * Records the outcome of an attempt, if any, and returns the next delivery under the same lease. Returns
 * undefined when there is none, which releases the lease; or when the lease is lost, which leaves everything
 * unchanged.
 */
export function takeNextAttempt(
  db: Kysely<WebhookSchema>,
  lease: Lease,
  attempted: CompletedAttempt | undefined,
  course: NextAttemptOptions,
): Promise<OutgoingDelivery | undefined> {
  return transact(db, async (trx) => {
    const webhook = await lockLeased(trx, lease)
    if (!webhook) return undefined
    const settled = attempted ? await applyOutcome(trx, webhook, attempted) : {}
    const current = { ...webhook, ...settled } as LeasedWebhook
    const delivery = course.mayContinue
      ? await takeNext(trx, webhook.id, isPaused(current))
      : undefined
    const change = delivery ? prolong(current, course) : release(current, course)
    await updateWebhook(trx, webhook, { ...settled, ...change }, delivery !== undefined)
    return delivery && toOutgoingDelivery(current, delivery)
  })
}

/** True when only manual deliveries may be sent. */
function isPaused({ enabled, halted_at, retry_at, now }: LeasedWebhook): boolean {
  return !enabled || halted_at !== null || (retry_at !== null && retry_at > now)
}

function prolong({ status, now }: LeasedWebhook, { leaseMs }: NextAttemptOptions): WebhookChange {
  return {
    lease_until: new Date(now.getTime() + leaseMs),
    status: status === 'idle' ? 'sending' : status,
  }
}

function release(webhook: LeasedWebhook, { mayContinue }: NextAttemptOptions): WebhookChange {
  const { enabled, halted_at, retry_at, now, status } = webhook
  const free: WebhookChange = {
    lease_id: null,
    lease_until: null,
    status: status === 'sending' ? idleStatus(webhook) : status,
  }
  if (!mayContinue) return { ...free, due_at: now }
  if (!enabled || halted_at !== null) return { ...free, due_at: null }
  if (retry_at !== null && retry_at > now) return { ...free, due_at: retry_at }
  // The queue is empty, which corrects counts that have drifted.
  return { ...free, due_at: null, retry_at: null, waiting_count: 0, waiting_bytes: 0 }
}

function toOutgoingDelivery(webhook: LeasedWebhook, delivery: WaitingDelivery): OutgoingDelivery {
  const { url, authorization, secret, previous_secret, previous_secret_until, now } = webhook
  const isChanging = previous_secret !== null && (previous_secret_until ?? now) > now
  const secrets = isChanging ? [secret, previous_secret] : [secret]
  return { delivery, url, authorization, secrets }
}
