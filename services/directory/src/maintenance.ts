import { jitter } from '@sheaf/kit/backoff'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { deleteOldAudit } from './db/access-audit'
import type { DirectorySchema } from './db/schema'
import { deleteEndedSessions } from './db/sessions'
import { deleteEndedLinks } from './db/sign-in-links'
import { deleteUnpublished, emptyTrash } from './db/trash'

const ROUND_MS = 10 * 60_000
/** Filling a reserved document may take as long as a gateway lets a request take, which is much less. */
const UNPUBLISHED_HOURS = 24

/**
 * Deletes, now and then, what has been in the trash for long, documents that nobody finished making, links and sessions
 * that have ended, and what the audit of access has kept long enough.
 */
export class Housekeeping implements AsyncDisposable {
  private timer?: NodeJS.Timeout
  private running?: Promise<void>
  private closed = false

  /** @param onDeleted called after every round: there may be something in the outbox */
  constructor(
    private readonly db: Kysely<DirectorySchema>,
    private readonly days: { readonly trashDays: number; readonly accessAuditDays: number },
    private readonly onDeleted: () => void,
    private readonly log: Logger,
  ) {}

  /** Starts a round now, and further ones until disposed of. */
  start(): void {
    if (this.closed) return
    this.running = this.tidy().finally(() => {
      if (!this.closed) this.timer = setTimeout(() => this.start(), jitter(ROUND_MS)).unref()
    })
  }

  private async tidy(): Promise<void> {
    try {
      await emptyTrash(this.db, this.days.trashDays)
      await deleteUnpublished(this.db, UNPUBLISHED_HOURS)
      this.onDeleted()
      await deleteEndedLinks(this.db)
      await deleteEndedSessions(this.db)
      while (!this.closed && (await deleteOldAudit(this.db, this.days.accessAuditDays)));
    } catch (error) {
      this.log.warn({ err: error }, 'cannot tidy up; trying again later')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.running
  }
}
