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
/** Secrets must not be written to the browser's cache. */
const unkept = { cache: 'no-store' }

/** Definitions of webhooks. They do not change the document, so conditional requests do not apply. */
export const webhookRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'listWebhooks',
    tag,
    summary: 'List webhooks of a document',
    description: 'In the order of their creation, with how they fare.',
    access: 'owners',
    params: docParams,
    success: { description: 'The webhooks', schema: webhooks },
    async handle(exchange, { document }) {
      const { docId } = document
      const found = await document.callWebhook(({ webhooks }, call) =>
        webhooks.listWebhooks({ docId }, call),
      )
      sendJson(exchange, { webhooks: found.webhooks.map(toWebhook) }, unkept)
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'createWebhooks',
    tag,
    summary: 'Create webhooks',
    description: 'All of them, or none. They tell of changes from now on.',
    access: 'owners',
    params: docParams,
    body: newWebhooks,
    success: { description: 'Their ids, in the order of the request', schema: webhookIds },
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
    summary: 'Clear the queues of all webhooks of a document',
    description: 'What waits is dropped, and how they fared is forgotten.',
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
    path: `${path}/queue/{webhookId}`,
    id: 'clearWebhookQueue',
    tag,
    summary: 'Clear the queue of a webhook',
    description:
      'What waits is dropped, and how it fared is forgotten. An unknown webhook has no queue.',
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
    summary: 'Modify a webhook',
    description:
      'What is absent stays, but another table clears the columns. Disabling drops what waits; enabling sets it going again.',
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
    summary: 'Tell the secret that signs the deliveries of a webhook',
    access: 'owners',
    params: webhookParams,
    success: { description: 'The secrets', schema: secrets },
    async handle(exchange, { document, params: { webhookId } }) {
      const { docId } = document
      const found = await document.callWebhook(({ webhooks }, call) =>
        webhooks.getSecret({ docId, webhookId }, call),
      )
      sendJson(exchange, toSecrets(found), unkept)
    },
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/secret`,
    id: 'rotateWebhookSecret',
    tag,
    summary: 'Make a new secret for a webhook',
    description: 'For a day deliveries are signed with the one before too.',
    access: 'owners',
    params: webhookParams,
    success: { description: 'The new secret', schema: newSecret },
    async handle(exchange, { document, params: { webhookId } }) {
      const { docId } = document
      const { secret } = await document.callWebhook(({ webhooks }, call) =>
        webhooks.rotateSecret({ docId, webhookId }, call),
      )
      sendJson(exchange, { secret }, unkept)
    },
  }),
  defineRoute({
    method: 'post',
    path: `${tablePath}/_subscribe`,
    id: 'subscribe',
    tag,
    summary: 'Create a webhook of a table',
    description: 'For older clients.',
    deprecated: true,
    access: 'owners',
    params: tableParams,
    body: subscription,
    success: { description: 'The webhook', schema: subscribed },
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
    summary: 'Delete a webhook, with its key',
    description: 'For older clients. An owner of the document needs no key.',
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
