import { setTimeout as pause } from 'node:timers/promises'
import { toAppError } from '@sheaf/kit/errors'
import type { Kysely } from 'kysely'
import { trimLog } from '../db/delivery-log'
import { returnLease, type Lease } from '../db/leases'
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
}

/**
 * Sends deliveries of one webhook, in order, until none is due, an attempt fails, or the limit of one session
 * is reached; then releases the lease. An attempt that shutdown cancels is not recorded.
 */
export async function runDeliverySession(tools: DeliverySession, lease: Lease): Promise<void> {
  let attempted: CompletedAttempt | undefined
  for (let sent = 0; ; sent++) {
    const mayContinue = sent < MAX_DELIVERIES && !tools.closing.aborted
    const asked = performance.now()
    const next = await takeNextWithRetries(tools, lease, attempted, mayContinue)
    if (!next) return await trimLogOccasionally(tools, lease, sent)
    const isFresh = performance.now() - asked < FRESH_MS
    const outcome = isFresh ? await attemptDelivery(tools, next) : undefined
    if (!outcome) return await returnLease(tools.db, lease)
    attempted = { sent: next, outcome }
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
