import { AppError } from '@sheaf/kit/errors'
import type { ReplayDeliveriesRequest } from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { replayBody, replayed } from '../schemas/webhook-replay'
import { webhookParams } from '../schemas/webhooks'

/** Replay of past events. */
export const webhookReplayRoute: Route = defineRoute({
  method: 'post',
  path: '/api/docs/{docId}/webhooks/{webhookId}/replay',
  id: 'replayWebhook',
  tag: 'webhooks',
  summary: 'Replay past events of a webhook',
  description:
    'Queues events of past changes again, ahead of pending events; events already pending are not duplicated. Returns 409 if the change log does not reach back far enough or the webhook is disabled.',
  access: 'owners',
  params: webhookParams,
  body: replayBody,
  success: { description: 'The events are queued', schema: replayed },
  statuses: {
    409: 'The change log does not reach back far enough, or the webhook is disabled.',
  },
  async handle(exchange, { document, params: { webhookId }, body }) {
    const { docId } = document
    const from = readFrom(body)
    const { queued, nextSeq } = await document.callWebhook(({ deliveries }, call) =>
      deliveries.replayDeliveries({ docId, webhookId, from }, call),
    )
    sendJson(exchange, { queued, nextSeq })
  },
})

function readFrom(body: { since?: number; sinceTime?: string }): ReplayDeliveriesRequest['from'] {
  const { since, sinceTime } = body
  if ((since === undefined) === (sinceTime === undefined))
    throw new AppError('invalid', 'BAD_FIELD', 'exactly one of since and sinceTime is required', {
      field: 'since',
    })
  if (since !== undefined) return { $case: 'afterSeq', value: since }
  return { $case: 'sinceMs', value: Math.max(0, Date.parse(sinceTime ?? '')) }
}
