import { toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { queueEntries, skipLost, type QueueLimits, type StepOutcome } from '../db/events'
import {
  defer,
  postpone,
  readProgress,
  markCaughtUp,
  type Progress,
  type StoredDefinition,
} from '../db/progress'
import type { WebhookSchema } from '../db/schema'
import { readLatestSeq, type DocumentCalls } from '../document-calls'
import { needsWholeRows } from '../matching/match'
import { oldestSeqOf, readLog, type LogPiece } from './log-pieces'
import { matchEntries, type OpenEntry } from './match-entries'

/** Dependencies of a DocumentMatcher. */
export interface MatcherParts {
  readonly db: Kysely<WebhookSchema>
  readonly documentCalls: Pick<DocumentCalls, 'run'>
  readonly limits: QueueLimits
  readonly log: Logger
  /** Called when events were queued. */
  readonly onQueued: () => void
  /** Aborts matching in progress. */
  readonly signal: AbortSignal
}

/** A request to match the log of a document. */
export interface MatchRequest {
  /** Entries that have arrived, in order; missing ones are read from the log. */
  readonly entries: readonly ChangeEvent[]
  /** Epoch of the document that they belong to; undefined when they differ. */
  readonly epoch: string | undefined
  /** True to read the log even without new entries, and despite postponed retries. */
  readonly lookAgain: boolean
  readonly traceparentOf: (entry: ChangeEvent) => string
}

/**
 * `done`: all entries are handled, or recorded in the database as pending. `none`: the document has no
 * webhooks.
 */
export type MatchOutcome = 'done' | 'none'

/** Documents whose epochs are cached. */
const MAX_EPOCHS = 50_000
/** Time after which matching yields to other documents. */
const TURN_MS = 20_000
/** The document has been deleted; its webhooks are deleted when webhook is notified. */
const gone = new Set(['DOCUMENT_NOT_FOUND', 'DOCUMENT_DELETED'])

/**
 * Matches the log of one document with its webhooks, from the recorded progress on. Safe to run concurrently.
 */
export class DocumentMatcher {
  /** The latest epoch of each document that its log has reported. */
  private readonly epochs = new LRUCache<string, string>({ max: MAX_EPOCHS })

  constructor(private readonly parts: MatcherParts) {}

  /**
   * Handles the entries of a document's log. Failures are recorded for a later retry. Throws only when the
   * database is unusable, so that not even that is possible, or at shutdown.
   */
  async match(docId: string, request: MatchRequest): Promise<MatchOutcome> {
    const { db, log, signal } = this.parts
    try {
      return await this.matchWhole(docId, request)
    } catch (error) {
      signal.throwIfAborted()
      const known = toAppError(error)
      if (known?.reason.startsWith('DATABASE_')) throw error
      if (gone.has(known?.reason ?? '')) {
        const progress = await readProgress(db, docId)
        if (progress) await markCaughtUp(db, docId, progress.due)
        return 'done'
      }
      await postpone(db, docId)
      log.warn({ err: error, docId }, 'failed to match changes with webhooks, retrying')
      return 'done'
    }
  }

  private async matchWhole(docId: string, request: MatchRequest): Promise<MatchOutcome> {
    const { db } = this.parts
    const { entries, lookAgain } = request
    const end = Date.now() + TURN_MS
    for (;;) {
      const progress = await readProgress(db, docId)
      if (!progress) return 'none'
      const fresh = entries.filter(({ seq }) => seq > progress.handledSeq)
      if (fresh.length === 0 && !lookAgain) return 'done'
      if (progress.isPostponed && !lookAgain) return 'done'
      if (Date.now() > end) {
        await defer(db, docId)
        return 'done'
      }
      // Entries of another epoch may come from a log that was lost, whose numbers now belong to other
      // entries.
      const isCurrent = request.epoch !== undefined && request.epoch === this.epochs.get(docId)
      if (isCurrent && isWhole(fresh, progress))
        await this.matchArrived(docId, fresh, progress, request)
      // Arrived entries precede the rest of the log.
      else if (await this.matchLog(docId, progress, request)) return 'done'
    }
  }

  /** Matches entries that arrived with sufficient data. */
  private async matchArrived(
    docId: string,
    entries: readonly ChangeEvent[],
    { handledSeq }: Progress,
    { traceparentOf }: MatchRequest,
  ): Promise<void> {
    const { db, limits } = this.parts
    const seq = entries.at(-1)?.seq ?? handledSeq
    const step = {
      ...{ docId, assumedSeq: handledSeq, handledSeq: seq, limits },
      // Only the log shows where it ends.
      isPartial: false,
    }
    const outcome = await queueEntries(db, step, (current) =>
      isWhole(entries, { handledSeq, webhooks: current })
        ? matchEntries(entries, current, { traceparentOf })
        : undefined,
    )
    this.tell(outcome)
  }

  /** Matches entries of the log, with whole rows. Returns true when there are no more. */
  private async matchLog(
    docId: string,
    progress: Progress,
    request: MatchRequest,
  ): Promise<boolean> {
    const { db, documentCalls, signal } = this.parts
    const tableRefs = tablesOf(progress.webhooks)
    const onEpoch = (epoch: string) => this.epochs.set(docId, epoch)
    const range = { docId, afterSeq: progress.handledSeq, tableRefs, onEpoch, signal }
    let assumedSeq = progress.handledSeq
    let open: OpenEntry | undefined
    let latestSeq = 0
    try {
      for await (const piece of readLog(documentCalls, range)) {
        latestSeq = piece.latestSeq
        const done = await this.matchPiece(docId, piece, {
          ...{ assumedSeq, open, tableRefs, request },
          due: progress.due,
        })
        if (!done) return false
        assumedSeq = done.handledSeq
        open = done.open
      }
    } catch (error) {
      if (await this.skip(docId, assumedSeq, error)) return false
      throw error
    }
    if (assumedSeq === progress.handledSeq) await markCaughtUp(db, docId, progress.due)
    return assumedSeq >= latestSeq
  }

  private async matchPiece(
    docId: string,
    { entries, isPartial, latestSeq }: LogPiece,
    at: {
      assumedSeq: number
      open?: OpenEntry
      tableRefs: readonly number[]
      request: MatchRequest
      due: string | null
    },
  ): Promise<{ handledSeq: number; open?: OpenEntry } | undefined> {
    const { db, limits } = this.parts
    const { assumedSeq, tableRefs, due } = at
    const last = entries.at(-1)?.seq ?? assumedSeq
    const handledSeq = isPartial ? last - 1 : last
    let open: OpenEntry | undefined
    const end = handledSeq >= latestSeq ? { due } : undefined
    const step = { docId, assumedSeq, handledSeq, isPartial, end, limits }
    const outcome = await queueEntries(db, step, (current) => {
      if (!tablesOf(current).every((ref) => tableRefs.includes(ref))) return undefined
      const { traceparentOf } = at.request
      const matched = matchEntries(entries, current, { open: at.open, traceparentOf })
      open = isPartial ? matched.last : undefined
      return matched
    })
    this.tell(outcome)
    return outcome === 'moved' || outcome === 'gone' ? undefined : { handledSeq, open }
  }

  /** Skips entries that the log no longer contains. Returns whether it did. */
  private async skip(docId: string, assumed: number, error: unknown): Promise<boolean> {
    const { db, documentCalls, log } = this.parts
    const oldest = oldestSeqOf(error)
    if (oldest === undefined) return false
    const seq = oldest > assumed + 1 ? oldest - 1 : await readLatestSeq(documentCalls, docId)
    if (seq <= assumed) return false
    log.error(
      { docId, after: assumed, upTo: seq },
      'webhooks missed changes: the log was truncated',
    )
    await skipLost(db, docId, { assumed, seq })
    return true
  }

  private tell(outcome: StepOutcome): void {
    if (outcome === 'queued') this.parts.onQueued()
  }
}

function tablesOf(webhooks: readonly StoredDefinition[]): number[] {
  return [...new Set(webhooks.flatMap(({ tableRef }) => (tableRef === null ? [] : [tableRef])))]
}

/** True when the entries directly follow the handled ones and contain all data that the webhooks need. */
function isWhole(
  entries: readonly ChangeEvent[],
  { handledSeq, webhooks }: Pick<Progress, 'handledSeq' | 'webhooks'>,
): boolean {
  return (
    entries.length > 0 &&
    entries.every(({ seq }, i) => seq === handledSeq + 1 + i) &&
    !entries.some((entry) => needsWholeRows(entry, webhooks))
  )
}
