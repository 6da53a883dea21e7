import type { Delivery } from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import { z } from 'zod'
import { limitUpTo } from './parameters'
import { text } from './text'
import { done, webhookParams } from './webhooks'

const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100

/** Path parameters of a delivery. */
export const webhookDeliveryParams = webhookParams.extend({
  deliveryId: text.meta({
    description: 'Id of the delivery: the value of its header `webhook-id`',
  }),
})

/** Selection of deliveries. */
export const deliveriesQuery = z.object({
  limit: limitUpTo(MAX_LIMIT, {
    byDefault: DEFAULT_LIMIT,
    description: 'Maximum number of deliveries',
  }),
  before: text.optional().meta({
    description: 'Return deliveries older than this id only: the last id of the previous page',
  }),
})

/** A delivery. */
export const delivery = z
  .object({
    id: z.string().meta({ description: 'Value of the header `webhook-id`' }),
    time: z.string().meta({ description: 'ISO 8601 time of the last attempt' }),
    status: z
      .string()
      .meta({ enum: ['waiting', 'success', 'failed'], description: 'Status of the delivery' }),
    size: z.int().meta({ description: 'Number of events' }),
    kinds: z.string().meta({ description: 'Value of the header `sheaf-event`' }),
    attempts: z.int().describe('Number of attempts'),
    httpStatus: z
      .int()
      .nullable()
      .meta({ description: 'Status of the last response; null if there was none' }),
    durationMs: z.int().meta({ description: 'Duration of the last attempt in milliseconds' }),
    errorMessage: z
      .string()
      .nullable()
      .describe('Message of the last error; null if there was none'),
    responseExcerpt: z
      .string()
      .meta({ description: 'First 1,024 characters of the last response body' }),
    firstSeq: z.int().meta({ description: '`seq` of the first event; 0 for a test event' }),
    lastSeq: z.int().meta({ description: '`seq` of the last event; 0 for a test event' }),
    bodyBytes: z.int().describe('Size of the body in bytes'),
    byHand: z.boolean().meta({ description: 'Whether it was requested: a redelivery or a test' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'Delivery of one or more events' })

/** A queued test event. */
export const testQueued = done.extend({
  deliveryId: z.string().meta({ description: 'Id of its delivery in the delivery log' }),
})

/** A page of the delivery log. */
export const deliveries = z.object({
  deliveries: z.array(delivery).describe('Deliveries, newest first'),
})

/** Converts a delivery to its JSON. */
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
