import { randomBytes, randomUUID } from 'node:crypto'
import { requireDocumentRole, requireNoCaps } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { roleAtLeast } from '@sheaf/auth/roles'
import type {
  ClearQueueRequest,
  CreateWebhooksRequest,
  DeleteWebhookRequest,
  GetSecretRequest,
  ListWebhooksRequest,
  RotateSecretRequest,
  UpdateWebhookRequest,
  WebhooksService,
} from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import type { Context } from '../context'
import { requireRef, webhookNotFound } from '../db/webhook-ref'
import * as rows from '../db/webhooks'
import { readTables } from '../webhooks/document-tables'
import { needsTables, planChange, toRow } from '../webhooks/webhook-changes'
import { readChange, readNewWebhook } from '../webhooks/webhook-fields'
import { webhookToWire } from './webhook-wire'

/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32

/** Definitions of webhooks. They contain secrets, so even reading them requires an owner. */
export const webhooks = (ctx: Context): WebhooksService => ({
  async listWebhooks({ docId }: ListWebhooksRequest, call: ServerCall) {
    requireDocumentRole(call, docId, 'owners')
    const found = await rows.listWebhooks(ctx.db, docId)
    if (found.length === 0) return { webhooks: [] }
    const tables = await readTables(ctx.documentCalls, docId, call)
    return { webhooks: found.map((row) => webhookToWire(row, tables)) }
  },

  async createWebhooks({ docId, webhooks }: CreateWebhooksRequest, call: ServerCall) {
    requireDocumentRole(call, docId, 'owners')
    if (webhooks.length > rows.MAX_WEBHOOKS) throw rows.tooManyWebhooks()
    const wished = webhooks.map((fields) => readNewWebhook(fields, ctx.allowedHosts))
    if (wished.length === 0) return { ids: [], unsubscribeKeys: [], triggerIds: [] }
    const tables = await readTables(ctx.documentCalls, docId, call)
    const made = wished.map((webhook) => ({
      id: randomUUID(),
      unsubscribe_key: randomUUID(),
      creator: call.caller.userId,
      secret: createSecret(),
      ...toRow(webhook, tables),
    }))
    const triggerIds = await rows.insertWebhooks(ctx.db, { docId, seq: tables.seq }, made)
    ctx.notifier.match(docId)
    return {
      ids: made.map(({ id }) => id),
      unsubscribeKeys: made.map(({ unsubscribe_key }) => unsubscribe_key),
      triggerIds,
    }
  },

  async updateWebhook({ docId, webhookId, fields }: UpdateWebhookRequest, call: ServerCall) {
    requireDocumentRole(call, docId, 'owners')
    const change = readChange(fields ?? noFields, ctx.allowedHosts)
    const ref = requireRef({ docId, webhookId })
    if (!(await rows.findWebhook(ctx.db, ref))) throw webhookNotFound(webhookId)
    const tables = needsTables(change)
      ? await readTables(ctx.documentCalls, docId, call)
      : undefined
    const apply = change.enabled === false ? rows.stopWebhook : rows.changeWebhook
    const isChanged = await apply(ctx.db, ref, (row) => planChange(row, change, tables))
    if (!isChanged) throw webhookNotFound(webhookId)
    ctx.notifier.match(docId)
    ctx.notifier.deliver()
    return {}
  },

  async deleteWebhook(request: DeleteWebhookRequest, call: ServerCall) {
    const { docId, webhookId, unsubscribeKey = '' } = request
    requireDocumentRole(call, docId, 'editors')
    requireNoCaps(call)
    const isOwner = roleAtLeast(call.caller.role, 'owners')
    if (!isOwner && unsubscribeKey === '')
      throw new AppError('invalid', 'BAD_FIELD', 'Bad request: unsubscribeKey required')
    const ref = requireRef({ docId, webhookId })
    const row = await rows.findWebhook(ctx.db, ref)
    if (!row) throw webhookNotFound(webhookId)
    if (!isOwner && unsubscribeKey !== row.unsubscribe_key)
      throw new AppError('unauthenticated', 'WRONG_UNSUBSCRIBE_KEY', 'Wrong unsubscribeKey')
    if (!(await rows.deleteWebhook(ctx.db, ref))) throw webhookNotFound(webhookId)
    return {}
  },

  async clearQueue({ docId, webhookId }: ClearQueueRequest, call: ServerCall) {
    requireDocumentRole(call, docId, 'owners')
    const found = await rows.listWebhooks(ctx.db, docId)
    const wanted = found.filter(({ id }) => webhookId === '' || id === webhookId)
    for (const { id } of wanted) await rows.clearQueue(ctx.db, { docId, webhookId: id })
    ctx.notifier.match(docId)
    return {}
  },

  async getSecret({ docId, webhookId }: GetSecretRequest, call: ServerCall) {
    requireDocumentRole(call, docId, 'owners')
    const row = await rows.findWebhook(ctx.db, requireRef({ docId, webhookId }))
    if (!row) throw webhookNotFound(webhookId)
    const until = row.previous_secret_until?.getTime() ?? 0
    const isGood = row.previous_secret !== null && until > Date.now()
    return {
      secret: row.secret,
      ...(isGood && { previousSecret: row.previous_secret ?? undefined, previousUntil: until }),
    }
  },

  async rotateSecret({ docId, webhookId }: RotateSecretRequest, call: ServerCall) {
    requireDocumentRole(call, docId, 'owners')
    const secret = createSecret()
    if (!(await rows.rotateSecret(ctx.db, requireRef({ docId, webhookId }), secret)))
      throw webhookNotFound(webhookId)
    return { secret }
  },
})

const noFields = { eventTypes: [], hasWatchedColIds: false, watchedColIds: [] }

/** Creates a secret in the format of Standard Webhooks. */
function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}
