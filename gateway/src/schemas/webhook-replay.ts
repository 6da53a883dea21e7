import { z } from 'zod'

/** Start of a replay. */
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

/** The result of a replay. */
export const replayed = z
  .object({
    queued: z.int().meta({ description: 'Number of events that wait now and did not before' }),
    nextSeq: z.int().optional().meta({
      description:
        'Present when there may be more, since the queue is full or it took long: goes on as `since` of another call',
    }),
  })
  .meta({ id: 'WebhookReplayed' })
