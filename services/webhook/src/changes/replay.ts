import { AppError } from '@sheaf/kit/errors'
import type { Context } from '../context'
import { readProgress } from '../db/progress'
import { noteReplayed, queueReplay } from '../db/replays'
import { webhookNotFound, type WebhookRef } from '../db/webhook-ref'
import { matchEntry } from '../matching/match'
import { oldestSeqOf, readLog, type LogPiece } from './log-pieces'
import type { OpenEntry } from './match-entries'
import { findSeqSince } from './seq-of-time'

/** Start of a replay. */
export type ReplayFrom = { readonly afterSeq: number } | { readonly sinceMs: number }

/** The events that a replay has queued, and where to continue when there may be more. */
export interface Replayed {
  readonly queued: number
  readonly nextSeq?: number
}

type Parts = Pick<Context, 'db' | 'documentCalls' | 'queueLimits'>

/** A longer replay ends early and returns where to continue. */
const REPLAY_MS = 15_000

/**
 * Queues past events of a webhook again, by its current definition. Throws `not_found` for the webhook,
 * `conflict` when it is disabled or the log was truncated after the requested start, `too_many` when its
 * queue has no room for any event.
 */
export async function replay(
  parts: Parts,
  ref: WebhookRef,
  start: ReplayFrom,
  signal: AbortSignal,
): Promise<Replayed> {
  const { tableRef } = await findWebhook(parts, ref)
  if (tableRef === null) return { queued: 0 }
  try {
    const from =
      'afterSeq' in start
        ? start.afterSeq
        : await findSeqSince(parts.documentCalls, { ...ref, signal }, start.sinceMs)
    return await new Replay(parts, { ...ref, tableRef, from, signal }).run()
  } catch (error) {
    throw oldestSeqOf(error) === undefined ? error : tooFarBack()
  }
}

async function findWebhook({ db }: Parts, { docId, webhookId }: WebhookRef) {
  const progress = await readProgress(db, docId)
  const webhook = progress?.webhooks.find(({ id }) => id === webhookId)
  if (!webhook) throw webhookNotFound(webhookId)
  if (!webhook.isEnabled)
    throw new AppError('conflict', 'WEBHOOK_DISABLED', 'the webhook is disabled')
  return webhook
}

interface ReplayRange extends WebhookRef {
  readonly tableRef: number
  /** Seq after which events are replayed. */
  readonly from: number
  readonly signal: AbortSignal
}

/** The state of one replay. */
class Replay {
  private readonly end = Date.now() + REPLAY_MS
  /** Events of entries up to this one are queued. */
  private done: number
  private queued = 0
  private open: OpenEntry | undefined

  constructor(
    private readonly parts: Parts,
    private readonly range: ReplayRange,
  ) {
    this.done = range.from
  }

  async run(): Promise<Replayed> {
    const { db } = this.parts
    const { range } = this
    for (;;) {
      const upTo = await this.readEnd()
      const ended = await this.queueUpTo(upTo)
      const isAll = ended === 'all'
      if (ended === 'full' && this.queued === 0) throw queueFull()
      const noted = { from: range.from, upTo: isAll ? Math.max(upTo, this.done) : this.done, isAll }
      const isNoted = await noteReplayed(db, range, noted)
      if (!isNoted && Date.now() < this.end) continue
      return { queued: this.queued, ...(!(isAll && isNoted) && { nextSeq: this.done }) }
    }
  }

  /** Later entries are matched as usual. */
  private async readEnd(): Promise<number> {
    const { docId, webhookId } = this.range
    const { handledSeq = 0, webhooks = [] } = (await readProgress(this.parts.db, docId)) ?? {}
    const webhook = webhooks.find(({ id }) => id === webhookId)
    return Math.max(handledSeq, webhook?.afterSeq ?? 0)
  }

  private async queueUpTo(upTo: number): Promise<'all' | 'full' | 'early'> {
    const { docId, tableRef, signal } = this.range
    while (this.done < upTo) {
      const before = this.done
      const range = { docId, afterSeq: before, tableRefs: [tableRef], signal }
      for await (const piece of readLog(this.parts.documentCalls, range)) {
        const outcome = await this.queuePiece(piece, upTo)
        if (outcome) return outcome
        if (this.done >= upTo) return 'all'
        if (Date.now() > this.end) return 'early'
      }
      if (this.done === before) return 'all'
    }
    return 'all'
  }

  private async queuePiece(
    { entries, isPartial }: LogPiece,
    upTo: number,
  ): Promise<'full' | 'early' | undefined> {
    const { db, queueLimits } = this.parts
    const wanted = entries.filter(({ seq }) => seq <= upTo)
    let open: OpenEntry | undefined
    const outcome = await queueReplay(db, this.range, queueLimits, (webhook) => {
      if (webhook.tableRef !== this.range.tableRef) return undefined
      return wanted.map((entry) => {
        const { seq, timeMs, traceparent } = entry
        const earlier = this.open?.seq === seq ? this.open.rowCounts : undefined
        const { events, rowCounts } = matchEntry(entry, [webhook], earlier)
        open = { seq, rowCounts }
        return { seq, timeMs, traceparent, events }
      })
    })
    if (!outcome) return 'early'
    this.queued += outcome.count
    if (outcome.fullSeq !== undefined) {
      this.done = outcome.fullSeq - 1
      return 'full'
    }
    this.open = isPartial ? open : undefined
    const last = entries.at(-1)?.seq ?? this.done
    this.done = Math.min(upTo, isPartial ? last - 1 : last)
    return undefined
  }
}

const tooFarBack = () =>
  new AppError(
    'conflict',
    'REPLAY_TOO_FAR_BACK',
    'the change log of the document does not reach back far enough',
  )

const queueFull = () =>
  new AppError('too_many', 'QUEUE_FULL', 'the queue of the webhook is full', {
    retryAfterMs: '10000',
  })
