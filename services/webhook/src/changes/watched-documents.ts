import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { checkAll, claimDue, listDocuments, listNewDocuments } from '../db/progress'
import type { WebhookSchema } from '../db/schema'

/** How often the database is looked at. */
const TICK_MS = 1_000
/** Transactions that make a document's row end within this time, so that none is overlooked. */
const OVERLAP_S = 120
/** Documents that are taken up at a time. */
const CLAIMED = 50

/** What WatchedDocuments needs. */
export interface WatchedOptions {
  readonly db: Kysely<WebhookSchema>
  readonly log: Logger
  /** Has a document's log looked into. */
  readonly onDue: (docId: string) => void
  /** False while there is enough to do. */
  readonly hasRoom: () => boolean
}

/**
 * Knows which documents have webhooks, so that the changes of all others cost nothing. Another instance may make a webhook
 * while this one still passes over the changes of its document: so the log of each document that it did not know is looked
 * into when it comes to know it. It also takes up documents that are due, and from time to time all of them.
 */
export class WatchedDocuments implements Disposable {
  private readonly known = new Set<string>()
  private timer?: NodeJS.Timeout
  private closed = false
  private isLoaded = false
  private lastTick = 0
  private failing = false

  constructor(private readonly options: WatchedOptions) {}

  /** Reads all documents; goes on looking for more. Throws when the database cannot be used. */
  async start(): Promise<void> {
    this.lastTick = Date.now()
    for (const docId of await listDocuments(this.options.db)) this.known.add(docId)
    this.isLoaded = true
    // What an earlier run passed over, or left, is found.
    await this.checkAll()
    this.schedule()
  }

  /** True when a change of the document may matter to somebody. */
  has(docId: string): boolean {
    return !this.isLoaded || this.known.has(docId)
  }

  /** Notes that a document has webhooks, and has its log looked into. */
  add(docId: string): void {
    this.known.add(docId)
    this.options.onDue(docId)
  }

  /** Notes that a document has no webhooks any more. */
  remove(docId: string): void {
    this.known.delete(docId)
  }

  /** Has the logs of all documents looked into, by and by. */
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
