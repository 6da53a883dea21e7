import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { checkAll, claimDue, listDocuments, listNewDocuments } from '../db/progress'
import type { WebhookSchema } from '../db/schema'

/** Polling interval of the database. */
const TICK_MS = 1_000
/** Maximum duration of a transaction that creates a document's row, so that none is missed. */
const OVERLAP_S = 120
/** Documents claimed at once. */
const CLAIMED = 50

/** Dependencies of WatchedDocuments. */
export interface WatchedOptions {
  readonly db: Kysely<WebhookSchema>
  readonly log: Logger
  /** Schedules reading a document's log. */
  readonly onDue: (docId: string) => void
  /** False while enough work is queued. */
  readonly hasRoom: () => boolean
}

/**
 * Tracks which documents have webhooks, so that changes of other documents cost nothing. Another instance may
 * create a webhook while this one still ignores the changes of its document, so the log of each newly tracked
 * document is read once. Also claims documents that are due, and all documents periodically.
 */
export class WatchedDocuments implements Disposable {
  private readonly known = new Set<string>()
  private timer?: NodeJS.Timeout
  private closed = false
  private isLoaded = false
  private lastTick = 0
  private failing = false

  constructor(private readonly options: WatchedOptions) {}

  /** Reads all documents, and polls for new ones. Throws when the database is unusable. */
  async start(): Promise<void> {
    this.lastTick = Date.now()
    for (const docId of await listDocuments(this.options.db)) this.known.add(docId)
    this.isLoaded = true
    // Finds entries that an earlier run ignored or left pending.
    await this.checkAll()
    this.schedule()
  }

  /** True when the document may have webhooks. */
  has(docId: string): boolean {
    return !this.isLoaded || this.known.has(docId)
  }

  /** Records that a document has webhooks, and schedules reading its log. */
  add(docId: string): void {
    this.known.add(docId)
    this.options.onDue(docId)
  }

  /** Records that a document has no webhooks. */
  remove(docId: string): void {
    this.known.delete(docId)
  }

  /** Schedules reading the logs of all documents, gradually. */
  checkAll(): Promise<void> {
    return checkAll(this.options.db)
  }

  [Symbol.dispose](): void {
    this.closed = true
    clearTimeout(this.timer)
  }

  private schedule(): void {
    if (this.closed) return
    this.timer = setTimeout(() => {
      this.tick().then(
        () => this.schedule(),
        () => this.schedule(),
      )
    }, TICK_MS).unref()
  }

  private async tick(): Promise<void> {
    const { db, log, hasRoom } = this.options
    try {
      const now = Date.now()
      const since = Math.max(0, now - this.lastTick) / 1000 + OVERLAP_S
      for (const docId of await listNewDocuments(db, since))
        if (!this.known.has(docId)) this.add(docId)
      this.lastTick = now
      if (hasRoom()) for (const docId of await claimDue(db, CLAIMED)) this.add(docId)
      this.failing = false
    } catch (error) {
      if (!this.failing && !this.closed)
        log.warn({ err: error }, 'failed to read documents to check, retrying')
      this.failing = true
    }
  }
}
