import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { docParams, tableParams } from '../schemas/parameters'
import {
  done,
  newSecret,
  newWebhooks,
  secrets,
  subscribed,
  subscription,
  success,
  toSecrets,
  toWebhook,
  toWireFields,
  unsubscription,
  webhookChange,
  webhookIds,
  webhookParams,
  webhooks,
} from '../schemas/webhooks'

const tag = 'webhooks'
const path = '/api/docs/{docId}/webhooks'
const onePath = `${path}/{webhookId}`
const tablePath = '/api/docs/{docId}/tables/{tableId}'

/** Definitions of webhooks. They are not part of the document, so conditional requests do not apply. */
export const webhookRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'listWebhooks',
    tag,
    summary: 'List webhooks',
    description:
      'Returns the webhooks of a document with their delivery status, in order of creation.',
    access: 'owners',
    params: docParams,
    noStore: true,
    success: { description: 'Webhooks of the document', schema: webhooks },
    async handle(exchange, { document }) {
      const { docId } = document
      const found = await document.readWebhook(({ webhooks }, call) =>
        webhooks.listWebhooks({ docId }, call),
      )
      sendJson(exchange, { webhooks: found.webhooks.map(toWebhook) })
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'createWebhooks',
    tag,
    summary: 'Create webhooks',
    description:
      'Creates all webhooks of the request, or none. They fire for changes committed after the response. A document has at most 200 webhooks.',
    access: 'owners',
    params: docParams,
    body: newWebhooks,
    success: { description: 'Ids of the new webhooks, in request order', schema: webhookIds },
    async handle(exchange, { document, body }) {
      const list = body.webhooks.map(({ fields }) => toWireFields(fields))
      const { docId } = document
      const { ids } = await document.callWebhook(({ webhooks }, call) =>
        webhooks.createWebhooks({ docId, webhooks: list }, call),
      )
      sendJson(exchange, { webhooks: ids.map((id) => ({ id })) })
    },
  }),
  // Precedes the path of one webhook, which would match too.
  defineRoute({
    method: 'delete',
    path: `${path}/queue`,
    id: 'clearWebhookQueues',
    tag,
    summary: 'Clear the queues of all webhooks',
    description: 'Discards pending events and resets the delivery statistics of all webhooks.',
    access: 'owners',
    params: docParams,
    success: { description: 'Done', schema: done },
    async handle(exchange, { document }) {
      const { docId } = document
      await document.callWebhook(({ webhooks }, call) =>
        webhooks.clearQueue({ docId, webhookId: '' }, call),
      )
      sendJson(exchange, success)
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${onePath}/queue`,
    alias: `${path}/queue/{webhookId}`,
    id: 'clearWebhookQueue',
    tag,
    summary: 'Clear the queue of a webhook',
    description:
      'Discards pending events and resets the delivery statistics. Succeeds for an unknown webhook. `DELETE /api/docs/{docId}/webhooks/queue/{webhookId}` does the same.',
    access: 'owners',
    params: webhookParams,
    success: { description: 'Done', schema: done },
    async handle(exchange, { document, params: { webhookId } }) {
      const { docId } = document
      await document.callWebhook(({ webhooks }, call) =>
        webhooks.clearQueue({ docId, webhookId }, call),
      )
      sendJson(exchange, success)
    },
  }),
  defineRoute({
    method: 'patch',
    path: onePath,
    id: 'modifyWebhook',
    tag,
    summary: 'Update a webhook',
    description:
      'Omitted fields keep their value, except that changing the table clears the columns. Disabling discards pending events; enabling resumes delivery, also of a webhook that was stopped.',
    access: 'owners',
    params: webhookParams,
    body: webhookChange,
    success: { description: 'Done', schema: done },
    async handle(exchange, { document, params: { webhookId }, body }) {
      const request = { docId: document.docId, webhookId, fields: toWireFields(body) }
      await document.callWebhook(({ webhooks }, call) => webhooks.updateWebhook(request, call))
      sendJson(exchange, success)
    },
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    id: 'deleteWebhook',
    tag,
    summary: 'Delete a webhook',
    description: 'Deletes the webhook with its pending events and delivery log.',
    access: 'owners',
    params: webhookParams,
    success: { description: 'Done', schema: done },
    async handle(exchange, { document, params: { webhookId } }) {
      const { docId } = document
      await document.callWebhook(({ webhooks }, call) =>
        webhooks.deleteWebhook({ docId, webhookId }, call),
      )
      sendJson(exchange, success)
    },
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/secret`,
    id: 'describeWebhookSecret',
    tag,
    summary: 'Get the signing secret of a webhook',
    description:
      'Returns the secret that signs deliveries, and the previous one while it is valid.',
    access: 'owners',
    params: webhookParams,
    noStore: true,
    success: { description: 'Current and previous secret', schema: secrets },
    async handle(exchange, { document, params: { webhookId } }) {
      const { docId } = document
      const found = await document.readWebhook(({ webhooks }, call) =>
        webhooks.getSecret({ docId, webhookId }, call),
      )
      sendJson(exchange, toSecrets(found))
    },
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/secret`,
    id: 'rotateWebhookSecret',
    tag,
    summary: 'Rotate the signing secret of a webhook',
    description:
      'Generates a new secret. For 24 hours deliveries are signed with both the new and the previous secret.',
    access: 'owners',
    params: webhookParams,
    noStore: true,
    success: { description: 'The new secret', schema: newSecret },
    async handle(exchange, { document, params: { webhookId } }) {
      const { docId } = document
      const { secret } = await document.callWebhook(({ webhooks }, call) =>
        webhooks.rotateSecret({ docId, webhookId }, call),
      )
      sendJson(exchange, { secret })
    },
  }),
  defineRoute({
    method: 'post',
    path: `${tablePath}/_subscribe`,
    id: 'subscribe',
    tag,
    summary: 'Create a webhook of a table',
    description: 'Deprecated: use `POST /api/docs/{docId}/webhooks` instead.',
    deprecated: true,
    access: 'owners',
    params: tableParams,
    body: subscription,
    noStore: true,
    success: { description: 'Ids and unsubscribe key of the webhook', schema: subscribed },
    async handle(exchange, { document, params: { tableId }, body }) {
      const request = {
        docId: document.docId,
        webhooks: [toWireFields({ ...body, tableId })],
      }
      const made = await document.callWebhook(({ webhooks }, call) =>
        webhooks.createWebhooks(request, call),
      )
      const [webhookId] = made.ids
      const [unsubscribeKey] = made.unsubscribeKeys
      const [triggerId] = made.triggerIds
      sendJson(exchange, { unsubscribeKey, triggerId, webhookId })
    },
  }),
  defineRoute({
    method: 'post',
    path: `${tablePath}/_unsubscribe`,
    id: 'unsubscribe',
    tag,
    summary: 'Delete a webhook by its unsubscribe key',
    description:
      'Deprecated: use `DELETE /api/docs/{docId}/webhooks/{webhookId}` instead. Owners of the document do not need the key.',
    deprecated: true,
    access: 'editors',
    params: tableParams,
    body: unsubscription,
    success: { description: 'Done', schema: done },
    async handle(exchange, { document, body: { webhookId, unsubscribeKey } }) {
      const request = {
        docId: document.docId,
        webhookId,
        unsubscribeKey: unsubscribeKey ?? undefined,
      }
      await document.callWebhook(({ webhooks }, call) => webhooks.deleteWebhook(request, call))
      sendJson(exchange, success)
    },
  }),
]
