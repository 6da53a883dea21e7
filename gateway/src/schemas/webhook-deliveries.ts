import type { Delivery } from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import { z } from 'zod'
import { text } from './text'
import { done, webhookParams } from './webhooks'

const MAX_LIMIT = 1_000

/** A delivery of a webhook in a path. */
export const webhookDeliveryParams = webhookParams.extend({
  deliveryId: text.meta({ description: 'Id of the delivery: its header `webhook-id`' }),
})

/** Selection of deliveries. */
export const deliveriesQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, `should be a number from 1 to ${MAX_LIMIT}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, `should be from 1 to ${MAX_LIMIT}`)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: 100 }),
  before: text
    .optional()
    .meta({ description: 'Only deliveries older than this one: the last id of the page before' }),
})

/** A delivery. */
export const delivery = z
  .object({
    id: z.string().meta({ description: 'Its header `webhook-id`' }),
    time: z.string().meta({ description: 'ISO 8601 time of the last attempt' }),
    status: z.string().meta({ enum: ['waiting', 'success', 'failed'] }),
    size: z.int().meta({ description: 'Number of events' }),
    kinds: z.string().meta({ description: 'Its header `sheaf-event`' }),
    attempts: z.int(),
    httpStatus: z.int().nullable().meta({ description: 'Of the last answer; null for none' }),
    durationMs: z.int().meta({ description: 'Of the last attempt' }),
    errorMessage: z.string().nullable(),
    responseExcerpt: z.string().meta({ description: 'How the last answer began' }),
    firstSeq: z.int().meta({ description: 'Seq of its first event; 0 for a test' }),
    lastSeq: z.int().meta({ description: 'Seq of its last event; 0 for a test' }),
    bodyBytes: z.int(),
    byHand: z.boolean().meta({ description: 'Whether somebody asked for it' }),
  })
  .meta({ id: 'WebhookDelivery' })

/** A queued test delivery. */
export const testQueued = done.extend({
  deliveryId: z.string().meta({ description: 'Its delivery, whose outcome can be read' }),
})

/** A page of the delivery log. */
export const deliveries = z.object({ deliveries: z.array(delivery) })

/** Converts a delivery to JSON. */
export function toDelivery(of: Delivery): z.output<typeof delivery> {
  const { id, time, status, size, kinds, attempts, httpStatus, durationMs } = of
  const { errorMessage, responseExcerpt, firstSeq, lastSeq, bodyBytes, byHand } = of
  return {
    ...{ id, time, status, size, kinds, attempts, httpStatus: httpStatus ?? null, durationMs },
    ...{
      errorMessage: errorMessage ?? null,
      responseExcerpt,
      firstSeq,
      lastSeq,
      bodyBytes,
      byHand,
    },
  }
}
