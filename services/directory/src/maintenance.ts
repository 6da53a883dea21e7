import { jitter } from '@sheaf/kit/backoff'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { deleteOldAudit } from './db/access-audit'
import { deleteOldEvents } from './db/outbox'
import type { DirectorySchema } from './db/schema'
import type { AccessChanges } from './leases/access-changes'
import { deleteEndedSessions } from './db/sessions'
import { deleteEndedLinks } from './db/sign-in-links'
import { deleteUnpublished, emptyTrash } from './db/trash'

const ROUND_MS = 10 * 60_000
/** Filling a reserved document takes at most as long as a request to the gateway, which is much less. */
const UNPUBLISHED_HOURS = 24

/**
 * Periodically deletes expired trash, abandoned reservations, expired links and sessions, events that could not
 * be published in time, and expired records of the access audit.
 */
export class DirectoryMaintenance implements AsyncDisposable {
  private timer?: NodeJS.Timeout
  private running?: Promise<void>
  private closed = false

  /** @param onDeleted called after every round: the outbox may have new entries */
  constructor(
    private readonly db: Kysely<DirectorySchema>,
    private readonly changes: AccessChanges,
    private readonly days: {
      readonly trashDays: number
      readonly accessAuditDays: number
      readonly events: { readonly days: number }
    },
    private readonly onDeleted: () => void,
    private readonly log: Logger,
  ) {}

  /** Starts a round now, and further ones until disposed of. */
  start(): void {
    if (this.closed) return
    this.running = this.runOnce().finally(() => {
      if (!this.closed) this.timer = setTimeout(() => this.start(), jitter(ROUND_MS)).unref()
    })
  }

  private async runOnce(): Promise<void> {
    try {
      // Gateways cache decisions on what is in the trash, and descriptions of it.
      const empty = () =>
        this.changes.change(
          (trx) => emptyTrash(trx, this.days.trashDays),
          (count) => count > 0,
        )
      while (!this.closed && (await empty()) > 0);
      while (!this.closed && (await deleteUnpublished(this.db, UNPUBLISHED_HOURS)) > 0);
      this.onDeleted()
      await deleteOldEvents(this.db, this.days.events.days)
      await deleteEndedLinks(this.db)
      await deleteEndedSessions(this.db)
      while (!this.closed && (await deleteOldAudit(this.db, this.days.accessAuditDays)));
    } catch (error) {
      this.log.warn({ err: error }, 'maintenance failed, retrying later')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.running
  }
}
