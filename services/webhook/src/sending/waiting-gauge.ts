import { metrics, type ObservableResult } from '@opentelemetry/api'
import type { Kysely } from 'kysely'
import type { WebhookSchema } from '../db/schema'

/** Reports how many events wait in all, whenever metrics are collected; returns what ends it. */
export function observeWaiting(db: Kysely<WebhookSchema>): () => void {
  const gauge = metrics.getMeter('@sheaf/webhook').createObservableGauge('sheaf.webhook.waiting', {
    description: 'events that wait to be delivered, of all webhooks',
  })
  const observe = async (result: ObservableResult) => {
    const row = await db
      .selectFrom('webhooks')
      .select(({ fn }) => fn.sum<number>('waiting_count').as('waiting'))
      .executeTakeFirst()
      .catch(() => undefined)
    if (row) result.observe(Number(row.waiting))
  }
  gauge.addCallback(observe)
  return () => gauge.removeCallback(observe)
}
