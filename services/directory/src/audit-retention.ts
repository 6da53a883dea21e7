import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { deleteOldAudit } from './db/access-audit'
import type { DirectorySchema } from './db/schema'

const HOUR_MS = 3_600_000

/** Deletes what the audit of access has kept long enough: at the start and once an hour, in parts. */
export class AuditRetention implements AsyncDisposable {
  private timer?: NodeJS.Timeout
  private running: Promise<void> = Promise.resolve()
  private closed = false

  constructor(
    private readonly db: Kysely<DirectorySchema>,
    private readonly days: number,
    private readonly log: Logger,
  ) {}

  /** Begins, and goes on until disposed of. */
  start(): void {
    this.running = this.deleteOld().then(() => {
      if (!this.closed) this.timer = setTimeout(() => this.start(), HOUR_MS).unref()
    })
  }

  private async deleteOld(): Promise<void> {
    try {
      while (!this.closed && (await deleteOldAudit(this.db, this.days)));
    } catch (error) {
      // The next hour tries again; nothing but room is lost.
      this.log.warn({ err: error }, 'cannot delete old entries of the audit of access')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.running
  }
}
