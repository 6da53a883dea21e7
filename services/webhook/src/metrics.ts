import { Counter, Histogram, Observed, secondsBounds } from '@sheaf/kit/metrics'
import type { Kysely } from 'kysely'
import type { WebhookSchema } from './db/schema'
import type { PostOutcome } from './targets/post'

/** Deliveries may come days after their event. */
const latencyBounds = [...secondsBounds, 300, 1_800, 7_200, 86_400]

const deliveries = {
  attempts: new Counter<'outcome' | 'status'>({
    name: 'sheaf.webhook.attempts',
    description:
      'Attempts of deliveries, by outcome (success, failure, refused) and class of the HTTP status',
    unit: '{attempt}',
    labels: ['outcome', 'status'],
  }),
  duration: new Histogram<'outcome'>(
    {
      name: 'sheaf.webhook.attempt.duration',
      description: 'Time of an attempt, until the receiver had answered or it was given up',
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
  waiting: new Observed('gauge', {
    name: 'sheaf.webhook.waiting',
    description: 'Events that wait to be delivered, of all webhooks; every instance tells the same',
    unit: '{event}',
  }),
  webhooks: new Observed<'state'>('gauge', {
    name: 'sheaf.webhook.webhooks',
    description:
      'Webhooks, by state: working, failing, stopped (until somebody acts); every instance tells the same',
    unit: '{webhook}',
    labels: ['state'],
  }),
  sending: new Observed('gauge', {
    name: 'sheaf.webhook.sending',
    description: 'Webhooks that this instance delivers for now',
    unit: '{webhook}',
  }),
  matching: new Observed('gauge', {
    name: 'sheaf.webhook.matching',
    description: 'Messages of changes, and documents, that wait in this instance to be matched',
    unit: '{message}',
  }),
}

/** Counts an attempt, and the time that a successful one took since its first event; `timeMs` is 0 when it has none. */
export function countAttempt(outcome: PostOutcome, timeMs: number): void {
  const isDone = outcome.error === null
  const kind = isDone ? 'success' : outcome.isRefused ? 'refused' : 'failure'
  deliveries.attempts.add(1, { outcome: kind, status: classOf(outcome.httpStatus) })
  deliveries.duration.record(outcome.durationMs / 1_000, { outcome: kind })
  if (isDone && timeMs > 0) deliveries.latency.record(Math.max(0, Date.now() - timeMs) / 1_000, {})
}

/** Receivers answer with whatever number they like. */
function classOf(status: number | null | undefined): string {
  return status ? `${Math.floor(status / 100)}xx` : 'none'
}

/** Shows what waits to be sent, until disposed of. */
export function observeSending(
  db: Kysely<WebhookSchema>,
  sender: { readonly busy: number },
): Disposable {
  // Both metrics are collected together, of one look at the table.
  let looked: Promise<Counts | undefined> | undefined
  const look = () =>
    (looked ??= countWebhooks(db).finally(() => {
      looked = undefined
    }))
  const observed = [
    queues.waiting.observe(async (tell) => {
      const counts = await look()
      if (counts) tell(Number(counts.waiting ?? 0))
    }),
    queues.webhooks.observe(async (tell) => {
      const counts = await look()
      if (!counts) return
      for (const state of ['working', 'failing', 'stopped'] as const)
        tell(Number(counts[state]), { state })
    }),
    queues.sending.observe((tell) => tell(sender.busy)),
  ]
  return {
    [Symbol.dispose]() {
      for (const each of observed) each[Symbol.dispose]()
    },
  }
}

/** Shows what waits to be matched, until disposed of. */
export function observeMatching(queue: { readonly size: number }): Disposable {
  return queues.matching.observe((tell) => tell(queue.size))
}

type Counts = Awaited<ReturnType<typeof readCounts>>

/** Undefined while the database is away. */
function countWebhooks(db: Kysely<WebhookSchema>): Promise<Counts | undefined> {
  return readCounts(db).catch(() => undefined)
}

function readCounts(db: Kysely<WebhookSchema>) {
  return db
    .selectFrom('webhooks')
    .select(({ fn, eb }) => {
      const isStopped = eb.or([
        eb('stopped_reason', 'is not', null),
        eb('halted_at', 'is not', null),
      ])
      const isFailing = eb('failing_since', 'is not', null)
      const working = eb.and([eb.not(isStopped), eb.not(isFailing)])
      return [
        fn.sum<number | null>('waiting_count').as('waiting'),
        fn.countAll<number>().filterWhere(working).as('working'),
        fn
          .countAll<number>()
          .filterWhere(eb.and([eb.not(isStopped), isFailing]))
          .as('failing'),
        fn.countAll<number>().filterWhere(isStopped).as('stopped'),
      ]
    })
    .executeTakeFirstOrThrow()
}
