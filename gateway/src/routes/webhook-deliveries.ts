import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  deliveries,
  deliveriesQuery,
  delivery,
  testQueued,
  toDelivery,
  webhookDeliveryParams,
} from '../schemas/webhook-deliveries'
import { done, success, webhookParams } from '../schemas/webhooks'
import { webhookReplayRoute } from './webhook-replay'

const tag = 'webhooks'
const path = '/api/docs/{docId}/webhooks/{webhookId}'

/** The delivery log of a webhook, replay of past events, and tools for the developer of a receiver. */
export const webhookDeliveryRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: `${path}/deliveries`,
    id: 'listWebhookDeliveries',
    tag,
    summary: 'List webhook deliveries',
    description:
      'Returns deliveries, newest first. The log keeps the last 1,000 deliveries of the last 30 days.',
    access: 'owners',
    params: webhookParams,
    query: deliveriesQuery,
    noStore: true,
    success: { description: 'Page of deliveries, newest first', schema: deliveries },
    async handle(exchange, { document, params: { webhookId }, query }) {
      const { limit, before: beforeId = '' } = query
      const request = { docId: document.docId, webhookId, limit, beforeId }
      const found = await document.readWebhook((webhook, call) =>
        webhook.deliveries.listDeliveries(request, call),
      )
      sendJson(exchange, { deliveries: found.deliveries.map(toDelivery) })
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/deliveries/{deliveryId}`,
    id: 'describeWebhookDelivery',
    tag,
    summary: 'Get a webhook delivery',
    access: 'owners',
    params: webhookDeliveryParams,
    noStore: true,
    success: { description: 'The delivery', schema: delivery },
    async handle(exchange, { document, params: { webhookId, deliveryId } }) {
      const request = { docId: document.docId, webhookId, deliveryId }
      const found = await document.readWebhook((webhook, call) =>
        webhook.deliveries.getDelivery(request, call),
      )
      if (!found.delivery) throw new Error('webhook answered without the delivery')
      sendJson(exchange, toDelivery(found.delivery))
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/deliveries/{deliveryId}/redeliver`,
    id: 'redeliverWebhookDelivery',
    tag,
    summary: 'Redeliver a webhook delivery',
    description:
      'Queues the delivery with its original body ahead of pending events. It is attempted once, without retries.',
    access: 'owners',
    params: webhookDeliveryParams,
    success: { description: 'The delivery is queued', schema: done },
    statuses: { 409: 'The delivery is already queued, or its body is no longer kept.' },
    async handle(exchange, { document, params: { webhookId, deliveryId } }) {
      const request = { docId: document.docId, webhookId, deliveryId }
      await document.callWebhook((webhook, call) => webhook.deliveries.redeliver(request, call))
      sendJson(exchange, success)
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/test`,
    id: 'testWebhook',
    tag,
    summary: 'Send a test event to a webhook',
    description:
      'Sends a row with `id` 0 and null in all columns, with the header `sheaf-event: test`. It is attempted once, even if the webhook is disabled.',
    access: 'owners',
    params: webhookParams,
    success: { description: 'The test event is queued', schema: testQueued },
    async handle(exchange, { document, params: { webhookId } }) {
      const request = { docId: document.docId, webhookId }
      const { deliveryId } = await document.callWebhook((webhook, call) =>
        webhook.deliveries.sendTestEvent(request, call),
      )
      sendJson(exchange, { ...success, deliveryId })
    },
  }),
  webhookReplayRoute,
]
