import { AppError } from '@sheaf/kit/errors'
import type {
  GetSecretResponse,
  Webhook as WireWebhook,
  WebhookFields as WireFields,
  WebhookUsage as WireUsage,
} from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { z } from 'zod'
import { listOf } from './list'
import { docParams } from './parameters'
import { text } from './text'

/** Webhooks in one request: the maximum number of webhooks of a document. */
const webhookBounds = { min: 0, max: 200 }

const eventType = z.enum(['add', 'update', 'remove'])
const column = text.nullable().meta({
  description: 'Bool column that must be true before a row is sent; null or empty to send all rows',
})
const epochMs = z.int().meta({ description: 'Time in epoch milliseconds' })

/** Fields of a webhook that owners set. Unknown fields are ignored, as existing clients expect. */
const fields = z
  .object({
    url: text.meta({
      description:
        'URL that events are posted to: `https` and a public host; at most 2,000 characters',
    }),
    eventTypes: listOf(eventType, { min: 0, max: 10 }).meta({
      description: 'Events to send; at least one',
    }),
    tableId: text.meta({ description: 'Table id, or `tableRef` as text', example: 'People' }),
    isReadyColumn: column.optional(),
    watchedColIds: listOf(text, { min: 0, max: 2_000 }).optional().meta({
      description: 'Columns whose changes trigger `update` events; empty for all columns',
    }),
    enabled: z.boolean().optional().meta({ description: 'Default: true' }),
    name: text.optional().meta({ description: 'At most 1,024 characters' }),
    memo: text.optional().meta({ description: 'At most 4,096 characters' }),
    authorization: text.optional().meta({
      description: 'Value of the header `Authorization` of deliveries; at most 4,096 characters',
    }),
    condition: text
      .nullish()
      .refine((value) => !value, 'must be empty: conditions are not supported')
      .meta({ description: 'Must be empty: conditions are not supported' }),
  })
  .meta({ id: 'NewWebhookFields', description: 'Fields of a webhook to create' })

/** Webhooks to create. */
export const newWebhooks = z.object({
  webhooks: listOf(
    z.object({ fields }).meta({ id: 'NewWebhook', description: 'Webhook to create' }),
    webhookBounds,
  ).describe('Webhooks to create'),
})

/** Changes of a webhook; omitted fields keep their value. */
export const webhookChange = fields.partial().meta({
  id: 'WebhookChange',
  description: 'Fields of a webhook to change; absent fields keep their value',
})

/** Fields of a webhook whose table is in the path. */
export const subscription = fields
  .omit({ tableId: true })
  .meta({ id: 'Subscription', description: 'Fields of a webhook on the table of the path' })

/** Body of the deprecated operation that deletes a webhook. */
export const unsubscription = z.object({
  webhookId: text.describe('UUID of the webhook'),
  unsubscribeKey: text
    .nullish()
    .meta({ description: 'Unsubscribe key of the webhook; optional for owners' }),
})

/** Path parameters of a webhook. */
export const webhookParams = docParams.extend({
  webhookId: text.meta({
    description: 'UUID of the webhook',
    example: '9a1c1c8e-5c59-4b0e-8a51-0e4f4f0a8d11',
  }),
})

/** Ids of the created webhooks. */
export const webhookIds = z.object({
  webhooks: z
    .array(z.object({ id: z.string().describe('UUID of the webhook') }))
    .describe('Created webhooks, in request order'),
})

/** Result of the deprecated operation that creates a webhook. */
export const subscribed = z.object({
  unsubscribeKey: z.string().describe('Key that permits deleting the webhook'),
  triggerId: z.int().meta({ description: 'Number of the webhook' }),
  webhookId: z.string().describe('UUID of the webhook'),
})

/** The response of changes of webhooks. */
export const done = z.object({ success: z.literal(true).describe('Always true') })

/** The body of a successful change. */
export const success: z.output<typeof done> = { success: true }

const usage = z
  .object({
    status: z.string().meta({
      description: 'One of `idle`, `sending`, `retrying`, `postponed`, `error` and `invalid`',
    }),
    numWaiting: z.int().meta({ description: 'Number of pending events' }),
    updatedTime: epochMs.optional().meta({ description: 'Absent before the first attempt' }),
    lastSuccessTime: epochMs
      .nullish()
      .describe('Time of the last success in epoch milliseconds; null if there was none'),
    lastFailureTime: epochMs
      .nullish()
      .describe('Time of the last failure in epoch milliseconds; null if there was none'),
    lastErrorMessage: z
      .string()
      .nullish()
      .describe('Message of the last error; null if there was none'),
    lastHttpStatus: z
      .int()
      .nullish()
      .describe('Status of the last response; null if there was none'),
    lastEventBatch: z
      .object({
        status: z.string().meta({ description: 'One of `success`, `failure` and `rejected`' }),
        httpStatus: z.int().nullable().describe('Status of the response; null if there was none'),
        errorMessage: z
          .string()
          .nullable()
          .describe('Message of the error; null if there was none'),
        size: z.int().meta({ description: 'Number of events' }),
        attempts: z.int().describe('Number of attempts'),
      })
      .nullable()
      .describe('Last delivery; null if there was none'),
    stoppedReason: z.string().optional().meta({
      description:
        'Reason why an enabled webhook stopped queuing or sending events; absent while it works',
    }),
    stoppedSeq: z.int().nullish().meta({
      description:
        '`seq` of the last change that was queued before the webhook stopped; null if no change was missed',
    }),
  })
  .meta({ id: 'WebhookUsage', description: 'Queue and delivery statistics of a webhook' })

/** Webhooks of a document. */
export const webhooks = z.object({
  webhooks: z
    .array(
      z
        .object({
          id: z.string().describe('UUID of the webhook'),
          fields: z
            .object({
              url: z.string().describe('URL that events are posted to'),
              authorization: z
                .string()
                .describe('Value of the header `Authorization` of deliveries'),
              unsubscribeKey: z.string().describe('Key that permits deleting the webhook'),
              eventTypes: z.array(z.string()).describe('Events to send'),
              isReadyColumn: z
                .string()
                .nullable()
                .describe(
                  'Bool column that must be true before a row is sent; null to send all rows',
                ),
              watchedColIds: z
                .array(z.string())
                .describe('Columns whose changes trigger `update` events; empty for all columns'),
              tableId: z.string().nullable().meta({ description: 'Null if the table was deleted' }),
              enabled: z.boolean().describe('Whether events are queued and sent'),
              name: z.string().describe('Name of the webhook'),
              memo: z.string().describe('Notes for readers'),
            })
            .describe('Settings of the webhook'),
          usage,
        })
        .meta({ id: 'Webhook', description: 'Webhook of a document' }),
    )
    .describe('Webhooks of the document'),
})

/** The signing secrets of a webhook. */
export const secrets = z.object({
  secret: z
    .string()
    .meta({ description: 'Signing secret in Standard Webhooks format: `whsec_` and base64' }),
  previousSecret: z
    .string()
    .nullable()
    .meta({ description: 'Previous secret, valid for 24 hours after a rotation' }),
  previousUntil: epochMs.nullable(),
})

/** A new secret. */
export const newSecret = secrets.pick({ secret: true })

/** Converts fields for the webhook service. Throws AppError `invalid` for an empty list of events. */
export function toWireFields(given: Partial<z.output<typeof fields>>): WireFields {
  const { url, eventTypes, tableId, isReadyColumn, watchedColIds } = given
  const { enabled, name, memo, authorization } = given
  if (eventTypes?.length === 0)
    throw new AppError('invalid', 'BAD_FIELD', 'eventTypes must be a non-empty array', {
      field: 'eventTypes',
    })
  return {
    ...{ url, tableId, enabled, name, memo, authorization },
    eventTypes: eventTypes ?? [],
    isReadyColumn: isReadyColumn === null ? '' : isReadyColumn,
    hasWatchedColIds: watchedColIds !== undefined,
    watchedColIds: watchedColIds ?? [],
  }
}

/** Converts a webhook to its JSON. */
export function toWebhook(wire: WireWebhook): z.output<typeof webhooks>['webhooks'][number] {
  const given: Partial<WireFields> = wire.fields ?? {}
  return {
    id: wire.id,
    fields: {
      url: given.url ?? '',
      authorization: given.authorization ?? '',
      unsubscribeKey: wire.unsubscribeKey,
      eventTypes: given.eventTypes ?? [],
      isReadyColumn: given.isReadyColumn ?? null,
      watchedColIds: given.watchedColIds ?? [],
      tableId: given.tableId ?? null,
      enabled: given.enabled ?? false,
      name: given.name ?? '',
      memo: given.memo ?? '',
    },
    usage: toUsage(wire.usage),
  }
}

/** Converts delivery statistics. Before the first attempt only the queue is known; afterwards, events that never occurred are null. */
function toUsage(wire: Partial<WireUsage> = {}): z.output<typeof usage> {
  const { lastEventBatch: batch, stoppedReason } = wire
  return {
    status: wire.status ?? 'idle',
    numWaiting: wire.numWaiting ?? 0,
    ...(wire.updatedTime !== undefined && {
      updatedTime: wire.updatedTime,
      lastSuccessTime: wire.lastSuccessTime ?? null,
      lastFailureTime: wire.lastFailureTime ?? null,
      lastErrorMessage: wire.lastErrorMessage ?? null,
      lastHttpStatus: wire.lastHttpStatus ?? null,
    }),
    lastEventBatch: batch ? toBatch(batch) : null,
    ...(stoppedReason !== undefined && { stoppedReason, stoppedSeq: wire.stoppedSeq ?? null }),
  }
}

function toBatch(batch: NonNullable<WireUsage['lastEventBatch']>) {
  const { status, httpStatus = null, errorMessage = null, size, attempts } = batch
  return { status, httpStatus, errorMessage, size, attempts }
}

/** Converts secrets to their JSON. */
export function toSecrets(wire: GetSecretResponse): z.output<typeof secrets> {
  const { secret, previousSecret = null, previousUntil = null } = wire
  return { secret, previousSecret, previousUntil }
}
