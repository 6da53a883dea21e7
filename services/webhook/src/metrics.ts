import { Counter, Histogram, Observed, secondsBounds, together } from '@sheaf/kit/telemetry/metrics'
import { sql, type Kysely } from 'kysely'
import type { WebhookSchema } from './db/schema'
import type { PostOutcome } from './targets/post'

/** Deliveries may follow their event days later. */
const latencyBounds = [...secondsBounds, 300, 1_800, 7_200, 86_400]

const deliveries = {
  attempts: new Counter<'outcome' | 'status'>({
    name: 'sheaf.webhook.attempts',
    description: 'Delivery attempts, by outcome (success, failure, refused) and HTTP status class',
    unit: '{attempt}',
    labels: ['outcome', 'status'],
  }),
  duration: new Histogram<'outcome'>(
    {
      name: 'sheaf.webhook.attempt.duration',
      description: 'Duration of delivery attempts, until the response or the timeout',
      unit: 's',
      labels: ['outcome'],
    },
    secondsBounds,
  ),
  latency: new Histogram(
    {
      name: 'sheaf.webhook.latency',
      description: 'Time from the first event of a delivery to its success',
      unit: 's',
    },
    latencyBounds,
  ),
}

const queues = {
  waiting: new Observed<'state'>('gauge', {
    name: 'sheaf.webhook.waiting',
    description: 'Pending events, by state of their webhooks; the same on every instance',
    unit: '{event}',
    labels: ['state'],
  }),
  webhooks: new Observed<'state'>('gauge', {
    name: 'sheaf.webhook.webhooks',
    description:
      'Webhooks, by state: working, failing, stopped (until an owner resumes them), disabled; the same on every instance',
    unit: '{webhook}',
    labels: ['state'],
  }),
  sending: new Observed('gauge', {
    name: 'sheaf.webhook.sending',
    description: 'Webhooks that this instance currently delivers',
    unit: '{webhook}',
  }),
  matching: new Observed('gauge', {
    name: 'sheaf.webhook.matching',
    description: 'Change messages and documents queued for matching in this instance',
    unit: '{message}',
  }),
}

/**
 * Counts an attempt, and the time of a successful one since its first event; `timeMs` is 0 without events.
 */
export function countAttempt(outcome: PostOutcome, timeMs: number): void {
  const isDone = outcome.error === null
  const kind = isDone ? 'success' : outcome.isRefused ? 'refused' : 'failure'
  deliveries.attempts.add(1, { outcome: kind, status: classOf(outcome.httpStatus) })
  deliveries.duration.record(outcome.durationMs / 1_000, { outcome: kind })
  if (isDone && timeMs > 0) deliveries.latency.record(Math.max(0, Date.now() - timeMs) / 1_000, {})
}

/** Groups statuses by class: receivers may send any number. */
function classOf(status: number | null | undefined): string {
  return status ? `${Math.floor(status / 100)}xx` : 'none'
}

/** Exposes the delivery queue, until disposed of. */
export function observeSending(
  db: Kysely<WebhookSchema>,
  sender: { readonly busy: number },
): Disposable {
  // Both metrics are collected from one query.
  let looked: Promise<readonly StateCount[]> | undefined
  const look = () =>
    (looked ??= countStates(db).finally(() => {
      looked = undefined
    }))
  return together([
    queues.waiting.observe(async (tell) => {
      for (const { state, waiting } of await look()) tell(waiting, { state })
    }),
    queues.webhooks.observe(async (tell) => {
      for (const { state, webhooks } of await look()) tell(webhooks, { state })
    }),
    queues.sending.observe((tell) => tell(sender.busy)),
  ])
}

/** Exposes the matching queue, until disposed of. */
export function observeMatching(queue: { readonly size: number }): Disposable {
  return queues.matching.observe((tell) => tell(queue.size))
}

interface StateCount {
  readonly state: string
  readonly webhooks: number
  readonly waiting: number
}

const states = ['working', 'failing', 'stopped', 'disabled']

/** Counts webhooks by state; returns nothing while the database is unreachable. */
async function countStates(db: Kysely<WebhookSchema>): Promise<readonly StateCount[]> {
  const state = sql<string>`case when not enabled then 'disabled'
    when stopped_reason is not null or halted_at is not null then 'stopped'
    when failing_since is not null then 'failing' else 'working' end`
  const rows = await db
    .selectFrom('webhooks')
    .select(({ fn }) => [
      state.as('state'),
      fn.countAll<number>().as('webhooks'),
      fn.sum<number>('waiting_count').as('waiting'),
    ])
    .groupBy(state)
    .execute()
    .catch(() => undefined)
  if (!rows) return []
  return states.map((name) => {
    const row = rows.find(({ state }) => state === name)
    return { state: name, webhooks: row?.webhooks ?? 0, waiting: Number(row?.waiting ?? 0) }
  })
}
