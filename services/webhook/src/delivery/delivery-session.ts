import { setTimeout as pause } from 'node:timers/promises'
import { toAppError } from '@sheaf/kit/errors'
import type { Kysely } from 'kysely'
import { trimLog } from '../db/delivery-log'
import { returnLease, type Lane, type Lease } from '../db/leases'
import type { WebhookSchema } from '../db/schema'
import type { Poster, PostOutcome } from '../targets/post'
import { countAttempt } from '../metrics'
import { takeNextAttempt } from './take-next-attempt'
import { DeliverySpan } from './delivery-span'
import type { CompletedAttempt, OutgoingDelivery } from './apply-outcome'
import { sign } from './signature'

/** Duration of a lease: somewhat longer than an attempt may take. */
export const LEASE_MS = 30_000
/** No attempt begins with a lease older than this. */
const FRESH_MS = 10_000
/** Deliveries per session, after which other webhooks proceed. */
const MAX_DELIVERIES = 20
const RETRY_MS = 500
const USER_AGENT = 'Sheaf-Webhooks/1.0'

/** Dependencies of a delivery session. */
export interface DeliverySession {
  readonly db: Kysely<WebhookSchema>
  readonly poster: Pick<Poster, 'post'>
  /** Aborted when shutdown begins: nothing more is sent. */
  readonly closing: AbortSignal
  /** Aborted at the end of the grace period: the current attempt is cancelled. */
  readonly stop: AbortSignal
  /** The lane whose slot the session holds. */
  readonly lane: Lane
  readonly pace: Pace
}

/** What makes a webhook give up its slot to others. */
export interface Pace {
  /** An attempt that takes longer makes the webhook slow, in milliseconds. */
  readonly slowMs: number
  /** No attempt begins later in a session, in milliseconds. */
  readonly turnMs: number
}

/**
 * Sends deliveries of one webhook, in order, until none is due, an attempt fails or moves the webhook to the slow
 * lane, or the limits of one session are reached; then releases the lease. An attempt that shutdown cancels is
 * not recorded. Returns true when its limits ended it, so that the webhook is due again.
 */
export async function runDeliverySession(tools: DeliverySession, lease: Lease): Promise<boolean> {
  const { slowMs, turnMs } = tools.pace
  const until = performance.now() + turnMs
  let attempted: CompletedAttempt | undefined
  for (let sent = 0; ; sent++) {
    const asked = performance.now()
    const changesLane = attempted?.isSlow === true && tools.lane === 'working'
    const mayContinue = sent < MAX_DELIVERIES && asked < until && !changesLane
    const isOpen = mayContinue && !tools.closing.aborted
    const next = await takeNextWithRetries(tools, lease, attempted, isOpen)
    if (!next) {
      await trimLogOccasionally(tools, lease, sent)
      return !mayContinue
    }
    const isFresh = performance.now() - asked < FRESH_MS
    const outcome = isFresh ? await attemptDelivery(tools, next) : undefined
    if (!outcome) {
      await returnLease(tools.db, lease)
      return false
    }
    attempted = { sent: next, outcome, isSlow: outcome.durationMs > slowMs }
  }
}

/**
 * As `takeNextAttempt`, with retries while the database is unreachable and the lease lasts, so that a
 * completed delivery is not sent twice.
 */
async function takeNextWithRetries(
  { db, stop }: DeliverySession,
  lease: Lease,
  attempted: CompletedAttempt | undefined,
  mayContinue: boolean,
): Promise<OutgoingDelivery | undefined> {
  const until = performance.now() + FRESH_MS
  for (;;) {
    try {
      return await takeNextAttempt(db, lease, attempted, {
        mayContinue,
        leaseMs: LEASE_MS,
      })
    } catch (error) {
      const isAway = toAppError(error)?.code === 'unavailable'
      if (!isAway || !attempted || stop.aborted || performance.now() > until) throw error
      await pause(RETRY_MS)
    }
  }
}

/** Posts a delivery; undefined when shutdown cancelled it. */
async function attemptDelivery(
  { poster, stop }: DeliverySession,
  sendable: OutgoingDelivery,
): Promise<PostOutcome | undefined> {
  const { delivery, url } = sendable
  const span = new DeliverySpan(delivery.traceparent, {
    'sheaf.webhook.id': delivery.webhook_id,
    'sheaf.webhook.delivery': delivery.id,
    'sheaf.webhook.events': delivery.size,
    'http.request.resend_count': delivery.attempts,
  })
  const body = Buffer.from(delivery.body)
  const headers = { ...span.headers, ...headersOf(sendable, body) }
  try {
    const outcome = await poster.post({ url, headers, body }, stop)
    span.end(outcome)
    countAttempt(outcome, delivery.time_ms)
    return outcome
  } catch (error) {
    span.end()
    if (stop.aborted) return undefined
    throw error
  }
}

function headersOf({ delivery, authorization, secrets }: OutgoingDelivery, body: Buffer) {
  const { id, kinds } = delivery
  const timestamp = Math.floor(Date.now() / 1_000)
  return {
    'content-type': 'application/json',
    accept: '*/*',
    'user-agent': USER_AGENT,
    'sheaf-event': kinds,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign({ id, timestamp, body }, secrets),
    ...(authorization !== '' && { authorization }),
  }
}

/** Trims the log of a busy webhook: on average once per session of maximum length. */
async function trimLogOccasionally(
  { db }: DeliverySession,
  lease: Lease,
  sent: number,
): Promise<void> {
  if (Math.random() < sent / MAX_DELIVERIES) await trimLog(db, [lease.webhookId])
}
