import { setTimeout as pause } from 'node:timers/promises'
import { toAppError } from '@sheaf/kit/errors'
import type { Kysely } from 'kysely'
import { trimLog } from '../db/delivery-log'
import { giveBack, type Lease } from '../db/leases'
import type { WebhookSchema } from '../db/schema'
import type { Poster, PostOutcome } from '../targets/post'
import { countAttempt } from '../metrics'
import { advance } from './take-next-attempt'
import { DeliverySpan } from './delivery-span'
import type { Attempted, Sendable } from './apply-outcome'
import { sign } from './signature'

/** How long nobody else delivers for a webhook: somewhat longer than an attempt may take. */
export const LEASE_MS = 30_000
/** An attempt is not begun with a lease older than this. */
const FRESH_MS = 10_000
/** Deliveries after which the others get their turn. */
const TURN = 20
const RETRY_MS = 500
const USER_AGENT = 'Sheaf-Webhooks/1.0'

/** What a turn works with. */
export interface TurnTools {
  readonly db: Kysely<WebhookSchema>
  readonly poster: Pick<Poster, 'post'>
  /** Aborted when the process begins to stop: nothing more is sent … */
  readonly closing: AbortSignal
  /** … and when it cannot wait any longer: the attempt under way is broken off. */
  readonly stop: AbortSignal
}

/**
 * Sends for one webhook, one delivery after the other, until nothing is to be sent now, an attempt fails, or enough was
 * sent for one turn; gives the lease back then. When the process stops, the attempt that was broken off counts as none.
 */
export async function takeTurn(tools: TurnTools, lease: Lease): Promise<void> {
  let attempted: Attempted | undefined
  for (let sent = 0; ; sent++) {
    const mayGoOn = sent < TURN && !tools.closing.aborted
    const asked = performance.now()
    const next = await advanceSurely(tools, lease, attempted, mayGoOn)
    if (!next) return await trimNowAndThen(tools, lease, sent)
    const isFresh = performance.now() - asked < FRESH_MS
    const outcome = isFresh ? await attempt(tools, next) : undefined
    if (!outcome) return await giveBack(tools.db, lease)
    attempted = { sent: next, outcome }
  }
}

/** As `advance`, and again while the database is away, as long as the lease lasts: what was delivered is not sent twice. */
async function advanceSurely(
  { db, stop }: TurnTools,
  lease: Lease,
  attempted: Attempted | undefined,
  mayGoOn: boolean,
): Promise<Sendable | undefined> {
  const until = performance.now() + FRESH_MS
  for (;;) {
    try {
      return await advance(db, lease, attempted, { mayGoOn, leaseMs: LEASE_MS })
    } catch (error) {
      const isAway = toAppError(error)?.code === 'unavailable'
      if (!isAway || !attempted || stop.aborted || performance.now() > until) throw error
      await pause(RETRY_MS)
    }
  }
}

/** Posts a delivery; undefined when it was broken off because the process stops. */
async function attempt(
  { poster, stop }: TurnTools,
  sendable: Sendable,
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

function headersOf({ delivery, authorization, secrets }: Sendable, body: Buffer) {
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

/** Keeps the log of a busy webhook short: on average once in as many deliveries as make a turn. */
async function trimNowAndThen({ db }: TurnTools, lease: Lease, sent: number): Promise<void> {
  if (Math.random() < sent / TURN) await trimLog(db, [lease.webhookId])
}
