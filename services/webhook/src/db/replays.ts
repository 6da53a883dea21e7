import { transact } from '@sheaf/kit/postgres/database'
import { sql, type Kysely } from 'kysely'
import {
  insertEvents,
  QUEUE_FULL,
  type MatchedEntry,
  type NewEvent,
  type QueueLimits,
} from './events'
import { holdProgress, type StoredDefinition } from './progress'
import type { WebhookSchema } from './schema'
import type { WebhookRef } from './webhook-ref'

/** What of a replay was queued. */
export interface QueuedReplay {
  /** Events that were not waiting anyway. */
  readonly count: number
  /** The entry for which there was no room, if there was one. */
  readonly fullSeq?: number
}

/**
 * Queues events of a webhook once more, entry by entry, until one has no room. Undefined when the webhook is not there, or
 * not enabled, or `match` cannot match with it as it is now.
 */
export function queueReplay(
  db: Kysely<WebhookSchema>,
  { docId, webhookId }: WebhookRef,
  limits: QueueLimits,
  match: (webhook: StoredDefinition) => readonly MatchedEntry[] | undefined,
): Promise<QueuedReplay | undefined> {
  return transact(db, async (trx) => {
    const held = await holdProgress(trx, docId)
    const webhook = held?.webhooks.find(({ id }) => id === webhookId)
    const entries = webhook?.isEnabled ? match(webhook) : undefined
    if (!webhook || !entries) return undefined
    let { waitingCount: count, waitingBytes: bytes } = webhook
    const fitting: NewEvent[] = []
    let fullSeq: number | undefined
    for (const { events, ...entry } of entries) {
      count += events.length
      for (const { body } of events) bytes += Buffer.byteLength(body)
      if (events.length > 0 && (count > limits.events || bytes > limits.bytes)) {
        fullSeq = entry.seq
        break
      }
      for (const event of events) fitting.push({ ...event, ...entry })
    }
    return { count: await insertEvents(trx, fitting), fullSeq }
  })
}

/**
 * Notes that what a full webhook missed was queued from before `from` up to `upTo`. When that is all, it takes events again;
 * answers false when entries were handled meanwhile that it has missed too.
 */
export function noteReplayed(
  db: Kysely<WebhookSchema>,
  { docId, webhookId }: WebhookRef,
  { from, upTo, isAll }: { from: number; upTo: number; isAll: boolean },
): Promise<boolean> {
  return transact(db, async (trx) => {
    const held = await holdProgress(trx, docId)
    const webhook = held?.webhooks.find(({ id }) => id === webhookId)
    const stoppedSeq = webhook?.stoppedSeq ?? null
    if (!held || stoppedSeq === null || from > stoppedSeq) return true
    if (isAll && held.handledSeq > upTo) return false
    const change = isAll
      ? {
          stopped_seq: null,
          stopped_reason: sql<string | null>`nullif(stopped_reason, ${QUEUE_FULL})`,
          status: sql<'idle'>`case when stopped_reason = ${QUEUE_FULL} then 'idle' else status end`,
        }
      : { stopped_seq: Math.max(stoppedSeq, upTo) }
    await trx
      .updateTable('webhooks')
      .set({ ...change, updated_at: sql`now()` })
      .where('id', '=', webhookId)
      .execute()
    return true
  })
}
