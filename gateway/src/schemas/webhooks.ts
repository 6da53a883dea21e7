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

/** Webhooks in one request; a document cannot have more. */
const webhookBounds = { min: 0, max: 200 }

const eventType = z.enum(['add', 'update', 'remove'])
const column = text.nullable().meta({
  description: 'A Bool column: rows of which it is not true are not sent; null or empty for none',
})
const epochMs = z.int().meta({ description: 'Epoch milliseconds' })

/** Fields of a webhook that its owner sets. Other keys are ignored, as existing clients expect. */
const fields = z
  .object({
    url: text.meta({ description: 'Address that events are posted to: https, and a public host' }),
    eventTypes: listOf(eventType, { min: 0, max: 10 }).meta({ description: 'At least one' }),
    tableId: text.meta({ description: 'Table id, or its ref as text', example: 'People' }),
    isReadyColumn: column.optional(),
    watchedColIds: listOf(text, { min: 0, max: 2_000 })
      .optional()
      .meta({ description: 'Columns whose change is an update; none for all' }),
    enabled: z.boolean().optional().meta({ description: 'True unless given' }),
    name: text.optional(),
    memo: text.optional(),
    authorization: text
      .optional()
      .meta({ description: 'Value of the header Authorization of deliveries' }),
    condition: text
      .nullish()
      .refine((value) => !value, 'cannot be set: conditions are not evaluated here')
      .meta({ description: 'Must be empty' }),
  })
  .meta({ id: 'NewWebhookFields' })

/** Webhooks to create. */
export const newWebhooks = z.object({
  webhooks: listOf(z.object({ fields }).meta({ id: 'NewWebhook' }), webhookBounds),
})

/** Fields of a webhook to change; absent ones stay unchanged. */
export const webhookChange = fields.partial().meta({ id: 'WebhookChange' })

/** Fields of a webhook whose table the path names. */
export const subscription = fields.omit({ tableId: true }).meta({ id: 'Subscription' })

/** A webhook to remove, as the legacy route names it. */
export const unsubscription = z.object({
  webhookId: text,
  unsubscribeKey: text.nullish().meta({ description: 'An owner needs none' }),
})

/** A webhook in a path. */
export const webhookParams = docParams.extend({
  webhookId: text.meta({ description: 'UUID', example: '9a1c1c8e-5c59-4b0e-8a51-0e4f4f0a8d11' }),
})

/** Webhooks that were created. */
export const webhookIds = z.object({ webhooks: z.array(z.object({ id: z.string() })) })

/** A webhook that the legacy route has created. */
export const subscribed = z.object({
  unsubscribeKey: z.string(),
  triggerId: z.int().meta({ description: 'Number of the webhook' }),
  webhookId: z.string(),
})

/** The response of webhook changes. */
export const done = z.object({ success: z.literal(true) })

/** The response of a successful change. */
export const success: z.output<typeof done> = { success: true }

const usage = z
  .object({
    status: z.string().meta({
      description: 'idle, sending, retrying, postponed, error or invalid',
    }),
    numWaiting: z.int().meta({ description: 'Events that wait' }),
    updatedTime: epochMs.optional().meta({ description: 'Absent before the first attempt' }),
    lastSuccessTime: epochMs.nullish(),
    lastFailureTime: epochMs.nullish(),
    lastErrorMessage: z.string().nullish(),
    lastHttpStatus: z.int().nullish(),
    lastEventBatch: z
      .object({
        status: z.string().meta({ description: 'success, failure or rejected' }),
        httpStatus: z.int().nullable(),
        errorMessage: z.string().nullable(),
        size: z.int().meta({ description: 'Events in it' }),
        attempts: z.int(),
      })
      .nullable(),
    stoppedReason: z.string().optional().meta({
      description: 'Why it takes or sends no more although it is enabled; absent while it works',
    }),
    stoppedSeq: z.int().nullish().meta({
      description: 'Changes after this one were not queued; null when none is missing',
    }),
  })
  .meta({ id: 'WebhookUsage' })

/** Webhooks of a document. */
export const webhooks = z.object({
  webhooks: z.array(
    z
      .object({
        id: z.string(),
        fields: z.object({
          url: z.string(),
          authorization: z.string(),
          unsubscribeKey: z.string(),
          eventTypes: z.array(z.string()),
          isReadyColumn: z.string().nullable(),
          watchedColIds: z.array(z.string()),
          tableId: z.string().nullable().meta({ description: 'Null when the table is gone' }),
          enabled: z.boolean(),
          name: z.string(),
          memo: z.string(),
        }),
        usage,
      })
      .meta({ id: 'Webhook' }),
  ),
})

/** The secrets of a webhook. */
export const secrets = z.object({
  secret: z.string().meta({ description: '`whsec_` and base64, as Standard Webhooks writes it' }),
  previousSecret: z.string().nullable().meta({ description: 'Good beside it, after a rotation' }),
  previousUntil: epochMs.nullable(),
})

/** A secret that was just generated. */
export const newSecret = secrets.pick({ secret: true })

/** Converts fields to the form of webhook. Throws AppError `invalid` for an empty list of events. */
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

/** Converts a webhook to JSON. */
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

/**
 * Before the first attempt, usage has queue figures only; afterwards, figures of events that never occurred
 * are null.
 */
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

/** Converts secrets to JSON. */
export function toSecrets(wire: GetSecretResponse): z.output<typeof secrets> {
  const { secret, previousSecret = null, previousUntil = null } = wire
  return { secret, previousSecret, previousUntil }
}
