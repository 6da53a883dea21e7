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

/** The queued part of a replay. */
export interface QueuedReplay {
  /** Events that were not queued already. */
  readonly count: number
  /** The entry that did not fit, if any. */
  readonly fullSeq?: number
}

/**
 * Queues past events of a webhook, entry by entry, until one does not fit. Undefined when the webhook does
 * not exist, is disabled, or `match` cannot match with its current definition.
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
 * Records that events missed by a full webhook were queued from before `from` up to `upTo`. When these are
 * all, it receives events again; returns false when further entries were handled meanwhile that it has missed
 * too.
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
