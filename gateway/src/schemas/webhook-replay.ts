import { z } from 'zod'
import { docParams } from './parameters'
import { text } from './text'

/** A webhook of a document in a path. */
export const replayParams = docParams.extend({
  webhookId: text.meta({
    description: 'UUID of the webhook',
    example: '3f0d0a4e-6a1b-4f3c-9a55-8d5f0c1b2a77',
  }),
})

/** Where a replay begins. */
export const replayBody = z
  .object({
    since: z.int().min(0).optional().meta({
      description: 'Position in the log: events of later changes are sent once more',
      example: 120,
    }),
    sinceTime: z.iso.datetime({ offset: true }).optional().meta({
      description: 'Instead of `since`: events from this time on are sent once more',
      example: '2026-11-22T06:00:00Z',
    }),
  })
  .meta({ id: 'WebhookReplay' })

/** What a replay has queued. */
export const replayed = z
  .object({
    queued: z.int().meta({ description: 'Number of events that wait now and did not before' }),
    nextSeq: z.int().optional().meta({
      description:
        'Present when there may be more, since the queue is full or it took long: goes on as `since` of another call',
    }),
  })
  .meta({ id: 'WebhookReplayed' })
