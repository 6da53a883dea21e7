import { transact } from '@sheaf/kit/postgres/database'
import type { Kysely } from 'kysely'
import { lockLeased, type Lease, type LeasedWebhook } from '../db/leases'
import { takeNext, type WaitingDelivery } from '../db/next-delivery'
import { updateWebhook, type WebhookChange } from '../db/outcomes'
import type { WebhookSchema } from '../db/schema'
import { restingStatus, settle, type Attempted, type Sendable } from './apply-outcome'

/** What to do besides writing down the attempt. */
export interface Course {
  /** False when nothing more is to be sent now: the lease is given back. */
  readonly mayGoOn: boolean
  /** For how long the lease is prolonged. */
  readonly leaseMs: number
}

/**
 * Writes down how an attempt ended, if there was one, and takes what is to be sent next under the same lease. Undefined
 * when there is nothing, and the lease is given back then; or when it is lost, and nothing is written then.
 */
export function advance(
  db: Kysely<WebhookSchema>,
  lease: Lease,
  attempted: Attempted | undefined,
  course: Course,
): Promise<Sendable | undefined> {
  return transact(db, async (trx) => {
    const webhook = await lockLeased(trx, lease)
    if (!webhook) return undefined
    const settled = attempted ? await settle(trx, webhook, attempted) : {}
    const current = { ...webhook, ...settled } as LeasedWebhook
    const delivery = course.mayGoOn ? await takeNext(trx, webhook.id, isHeldUp(current)) : undefined
    const change = delivery ? prolong(current, course) : release(current, course)
    await updateWebhook(trx, webhook, { ...settled, ...change }, delivery !== undefined)
    return delivery && toSendable(current, delivery)
  })
}

/** True when only what was asked for by hand may go out. */
function isHeldUp({ enabled, halted_at, retry_at, now }: LeasedWebhook): boolean {
  return !enabled || halted_at !== null || (retry_at !== null && retry_at > now)
}

function prolong({ status, now }: LeasedWebhook, { leaseMs }: Course): WebhookChange {
  return {
    lease_until: new Date(now.getTime() + leaseMs),
    status: status === 'idle' ? 'sending' : status,
  }
}

function release(webhook: LeasedWebhook, { mayGoOn }: Course): WebhookChange {
  const { enabled, halted_at, retry_at, now, status } = webhook
  const free: WebhookChange = {
    lease_id: null,
    lease_until: null,
    status: status === 'sending' ? restingStatus(webhook) : status,
  }
  if (!mayGoOn) return { ...free, due_at: now }
  if (!enabled || halted_at !== null) return { ...free, due_at: null }
  if (retry_at !== null && retry_at > now) return { ...free, due_at: retry_at }
  // Nothing waits, so whatever was counted wrong is mended here.
  return { ...free, due_at: null, retry_at: null, waiting_count: 0, waiting_bytes: 0 }
}

function toSendable(webhook: LeasedWebhook, delivery: WaitingDelivery): Sendable {
  const { url, authorization, secret, previous_secret, previous_secret_until, now } = webhook
  const isChanging = previous_secret !== null && (previous_secret_until ?? now) > now
  const secrets = isChanging ? [secret, previous_secret] : [secret]
  return { delivery, url, authorization, secrets }
}
