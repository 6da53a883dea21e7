import { jitter } from '@sheaf/kit/backoff'
import type { Context } from './context'
import { deleteOldAudit } from './db/access-audit'
import { forgetDeleted } from './db/deleted-documents'
import { deleteOldEvents } from './db/outbox'
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
    private readonly ctx: Pick<Context, 'db' | 'changes' | 'log'>,
    private readonly days: {
      readonly trashDays: number
      readonly keptDays: number
      readonly accessAuditDays: number
      readonly events: { readonly days: number }
    },
    private readonly onDeleted: () => void,
  ) {}

  /** Starts a round now, and further ones until disposed of. */
  start(): void {
    if (this.closed) return
    this.running = this.runOnce().finally(() => {
      if (!this.closed) this.timer = setTimeout(() => this.start(), jitter(ROUND_MS)).unref()
    })
  }

  private async runOnce(): Promise<void> {
    const { db, changes } = this.ctx
    try {
      // Gateways cache decisions on what is in the trash, and descriptions of it.
      const empty = () =>
        changes.change(
          (trx) => emptyTrash(trx, this.days.trashDays),
          (count) => count > 0,
        )
      while (!this.closed && (await empty()) > 0);
      while (!this.closed && (await deleteUnpublished(db, UNPUBLISHED_HOURS)) > 0);
      this.onDeleted()
      while (!this.closed && (await forgetDeleted(db, this.days.keptDays)) > 0);
      await deleteOldEvents(db, this.days.events.days)
      await deleteEndedLinks(db)
      await deleteEndedSessions(db)
      while (!this.closed && (await deleteOldAudit(db, this.days.accessAuditDays)));
    } catch (error) {
      this.ctx.log.warn({ err: error }, 'maintenance failed, retrying later')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.running
  }
}
