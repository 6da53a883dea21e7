import { z } from 'zod'

/** Start of a replay. */
export const replayBody = z
  .object({
    since: z.int().min(0).optional().meta({
      description: 'Position in the log; replays the events of later changes',
      example: 120,
    }),
    sinceTime: z.iso.datetime({ offset: true }).optional().meta({
      description: 'ISO 8601 time, instead of `since`; replays events from this time on',
      example: '2026-11-22T06:00:00Z',
    }),
  })
  .meta({ id: 'WebhookReplay', description: 'Start of a replay: either `since` or `sinceTime`' })

/** Result of a replay. */
export const replayed = z
  .object({
    queued: z.int().meta({ description: 'Number of events added to the queue' }),
    nextSeq: z.int().optional().meta({
      description:
        'Present if more events may remain, because the queue is full or the time limit was reached: `since` of the next request',
    }),
  })
  .meta({ id: 'WebhookReplayed', description: 'Result of a replay' })
