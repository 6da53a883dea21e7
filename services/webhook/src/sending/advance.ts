import { transact } from '@sheaf/kit/database'
import type { Kysely, Transaction } from 'kysely'
import { lockLeased, type Lease, type LeasedWebhook } from '../db/leases'
import { countEventBytes, takeNext, type WaitingDelivery } from '../db/next-delivery'
import { figuresOf, recordAttempt, updateWebhook, type WebhookChange } from '../db/outcomes'
import type { WebhookSchema } from '../db/schema'
import type { PostOutcome } from '../targets/post'
import { judge } from './verdict'

/** A delivery to be sent now, and where to. */
export interface Sendable {
  readonly delivery: WaitingDelivery
  readonly url: string
  readonly authorization: string
  /** One, or two while the secret is being changed. */
  readonly secrets: readonly string[]
}

/** An attempt that has ended. */
export interface Attempted {
  readonly sent: Sendable
  readonly outcome: PostOutcome
}

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
    await updateWebhook(trx, lease, { ...settled, ...change }, webhook)
    return delivery && toSendable(current, delivery)
  })
}

/** True when only what was asked for by hand may go out. */
function isHeldUp({ enabled, halted_at, retry_at, now }: LeasedWebhook): boolean {
  return !enabled || halted_at !== null || (retry_at !== null && retry_at > now)
}

/** What changes of the webhook by the outcome of an attempt. */
async function settle(
  trx: Transaction<WebhookSchema>,
  webhook: LeasedWebhook,
  { sent, outcome }: Attempted,
): Promise<WebhookChange> {
  const { attempts, failing_since: failingSince, now } = webhook
  const { by_hand: byHand, id } = sent.delivery
  const verdict = judge(outcome, { attempts, failingSince, now }, Math.random())
  const isDone = outcome.error === null
  // An answer from where the webhook does not lead any more says nothing of where it leads now.
  const isOutdated = !isDone && !byHand && webhook.url !== sent.url
  const state = isDone ? 'success' : byHand ? 'failed' : 'waiting'
  const delivery = await recordAttempt(trx, id, outcome, state)
  if (!delivery || isOutdated) return {}
  const isRejected = verdict.next === 'halt' || outcome.isRefused === true
  const status = isDone ? 'success' : isRejected ? 'rejected' : 'failure'
  const figures = figuresOf(outcome, delivery, now, status)
  const lowered = state === 'waiting' ? {} : lower(webhook, delivery)
  if (isDone) {
    const working = { attempts: 0, failing_since: null, retry_at: null }
    return { ...figures, ...lowered, ...working, status: restingStatus(webhook) }
  }
  if (byHand) return { ...figures, ...lowered }
  const failing = { ...figures, attempts: attempts + 1, failing_since: failingSince ?? now }
  if (verdict.next === 'halt') {
    const halted = { halted_at: now, retry_at: null, stopped_reason: verdict.reason }
    return { ...failing, ...halted, status: 'error' }
  }
  if (verdict.next === 'go on') return failing
  const retryAt = new Date(now.getTime() + verdict.waitMs)
  const shown = webhook.stopped_reason === null ? verdict.status : 'error'
  return { ...failing, status: shown, retry_at: retryAt }
}

function lower(
  { waiting_count: count, waiting_bytes: bytes }: LeasedWebhook,
  delivery: { readonly size: number; readonly body_bytes: number },
): WebhookChange {
  return {
    waiting_count: Math.max(0, count - delivery.size),
    waiting_bytes: Math.max(0, bytes - countEventBytes(delivery)),
  }
}

/** The status of a webhook that has nothing to do. */
function restingStatus({ halted_at, stopped_reason }: LeasedWebhook): 'error' | 'idle' {
  return halted_at === null && stopped_reason === null ? 'idle' : 'error'
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
