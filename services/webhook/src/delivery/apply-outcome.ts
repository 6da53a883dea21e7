import type { Transaction } from 'kysely'
import type { LeasedWebhook } from '../db/leases'
import { countEventBytes, type StoredDelivery, type WaitingDelivery } from '../db/next-delivery'
import { figuresOf, recordAttempt, type WebhookChange } from '../db/outcomes'
import type { WebhookSchema } from '../db/schema'
import type { PostOutcome } from '../targets/post'
import { judge } from './retry-policy'

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

/**
 * Writes down an attempt in the log; what changes of the webhook by it. Nothing does when the delivery was dropped
 * meanwhile, or when the failure is that of an address to which the webhook does not lead any more.
 */
export async function settle(
  trx: Transaction<WebhookSchema>,
  webhook: LeasedWebhook,
  { sent, outcome }: Attempted,
): Promise<WebhookChange> {
  const { by_hand: byHand, id } = sent.delivery
  const isDone = outcome.error === null
  const state = isDone ? 'success' : byHand ? 'failed' : 'waiting'
  const delivery = await recordAttempt(trx, id, outcome, state)
  if (!delivery) return {}
  if (isDone) return succeed(webhook, delivery, outcome)
  if (byHand) return failByHand(webhook, delivery, outcome)
  return webhook.url === sent.url ? fail(webhook, delivery, outcome) : {}
}

/** The status of a webhook that has nothing to do. */
export function restingStatus({ halted_at, stopped_reason }: LeasedWebhook): 'error' | 'idle' {
  return halted_at === null && stopped_reason === null ? 'idle' : 'error'
}

function succeed(
  webhook: LeasedWebhook,
  delivery: StoredDelivery,
  outcome: PostOutcome,
): WebhookChange {
  return {
    ...figuresOf(outcome, delivery, webhook.now, 'success'),
    ...lower(webhook, delivery),
    attempts: 0,
    failing_since: null,
    retry_at: null,
    status: restingStatus(webhook),
  }
}

/** What somebody has tried by hand is shown, and changes nothing of what waits. */
function failByHand(
  webhook: LeasedWebhook,
  delivery: StoredDelivery,
  outcome: PostOutcome,
): WebhookChange {
  const status = outcome.isRefused ? 'rejected' : 'failure'
  return { ...figuresOf(outcome, delivery, webhook.now, status), ...lower(webhook, delivery) }
}

function fail(
  webhook: LeasedWebhook,
  delivery: StoredDelivery,
  outcome: PostOutcome,
): WebhookChange {
  const { attempts, failing_since: failingSince, now } = webhook
  const verdict = judge(outcome, { attempts, failingSince, now }, Math.random())
  const isRejected = verdict.next === 'halt' || outcome.isRefused === true
  const failing = {
    ...figuresOf(outcome, delivery, now, isRejected ? 'rejected' : 'failure'),
    attempts: attempts + 1,
    failing_since: failingSince ?? now,
  }
  if (verdict.next === 'halt') {
    const halted = { halted_at: now, retry_at: null, stopped_reason: verdict.reason }
    return { ...failing, ...halted, status: 'error' }
  }
  if (verdict.next === 'go on') return failing
  return {
    ...failing,
    retry_at: new Date(now.getTime() + verdict.waitMs),
    status: webhook.stopped_reason === null ? verdict.status : 'error',
  }
}

function lower(
  { waiting_count: count, waiting_bytes: bytes }: LeasedWebhook,
  delivery: StoredDelivery,
): WebhookChange {
  return {
    waiting_count: Math.max(0, count - delivery.size),
    waiting_bytes: Math.max(0, bytes - countEventBytes(delivery)),
  }
}
