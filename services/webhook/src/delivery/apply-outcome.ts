import type { Transaction } from 'kysely'
import type { LeasedWebhook } from '../db/leases'
import { countEventBytes, type StoredDelivery, type WaitingDelivery } from '../db/next-delivery'
import { usageAfter, recordAttempt, type WebhookChange } from '../db/outcomes'
import type { WebhookSchema } from '../db/schema'
import type { PostOutcome } from '../targets/post'
import { decideRetry } from './retry-policy'

/** A delivery to be sent now, with its destination. */
export interface OutgoingDelivery {
  readonly delivery: WaitingDelivery
  readonly url: string
  readonly authorization: string
  /** One, or two during a rotation of the secret. */
  readonly secrets: readonly string[]
}

/** A completed attempt. */
export interface CompletedAttempt {
  readonly sent: OutgoingDelivery
  readonly outcome: PostOutcome
  /** True when it took so long that the webhook belongs into the slow lane. */
  readonly isSlow: boolean
}

/**
 * Records an attempt in the log, and returns the changes of the webhook: none when the delivery was dropped
 * meanwhile, or when it failed at a URL that the webhook no longer has.
 */
export async function applyOutcome(
  trx: Transaction<WebhookSchema>,
  webhook: LeasedWebhook,
  { sent, outcome, isSlow }: CompletedAttempt,
): Promise<WebhookChange> {
  const { by_hand: byHand, id } = sent.delivery
  const isDone = outcome.error === null
  const state = isDone ? 'success' : byHand ? 'failed' : 'waiting'
  const delivery = await recordAttempt(trx, id, outcome, state)
  if (!delivery) return {}
  const isCurrent = webhook.url === sent.url
  const seen = isCurrent ? { slow: isSlow, network: outcome.network ?? webhook.network } : {}
  if (isDone) return { ...succeed(webhook, delivery, outcome), ...seen }
  if (byHand) return { ...failManual(webhook, delivery, outcome), ...seen }
  return isCurrent ? { ...fail(webhook, delivery, outcome), ...seen } : {}
}

/** Returns the status of a webhook without due deliveries. */
export function idleStatus({ halted_at, stopped_reason }: LeasedWebhook): 'error' | 'idle' {
  return halted_at === null && stopped_reason === null ? 'idle' : 'error'
}

function succeed(
  webhook: LeasedWebhook,
  delivery: StoredDelivery,
  outcome: PostOutcome,
): WebhookChange {
  return {
    ...usageAfter(outcome, delivery, webhook.now, 'success'),
    ...subtractDelivery(webhook, delivery),
    attempts: 0,
    failing_since: null,
    retry_at: null,
    status: idleStatus(webhook),
  }
}

/** A failed manual delivery is shown, and does not affect the queue. */
function failManual(
  webhook: LeasedWebhook,
  delivery: StoredDelivery,
  outcome: PostOutcome,
): WebhookChange {
  const status = outcome.isRefused ? 'rejected' : 'failure'
  return {
    ...usageAfter(outcome, delivery, webhook.now, status),
    ...subtractDelivery(webhook, delivery),
  }
}

function fail(
  webhook: LeasedWebhook,
  delivery: StoredDelivery,
  outcome: PostOutcome,
): WebhookChange {
  const { attempts, failing_since: failingSince, now } = webhook
  const decision = decideRetry(outcome, { attempts, failingSince, now }, Math.random())
  const isRejected = decision.next === 'halt' || outcome.isRefused === true
  const failing = {
    ...usageAfter(outcome, delivery, now, isRejected ? 'rejected' : 'failure'),
    attempts: attempts + 1,
    failing_since: failingSince ?? now,
  }
  if (decision.next === 'halt') {
    const halted = { halted_at: now, retry_at: null, stopped_reason: decision.reason }
    return { ...failing, ...halted, status: 'error' }
  }
  if (decision.next === 'go on') return failing
  return {
    ...failing,
    retry_at: new Date(now.getTime() + decision.waitMs),
    status: webhook.stopped_reason === null ? decision.status : 'error',
  }
}

function subtractDelivery(
  { waiting_count: count, waiting_bytes: bytes }: LeasedWebhook,
  delivery: StoredDelivery,
): WebhookChange {
  return {
    waiting_count: Math.max(0, count - delivery.size),
    waiting_bytes: Math.max(0, bytes - countEventBytes(delivery)),
  }
}
