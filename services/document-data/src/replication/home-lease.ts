import { randomUUID } from 'node:crypto'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { AppError } from '@sheaf/kit/errors'
import { LeaseClock, type Instant } from '@sheaf/kit/lease-clock'
import type { HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'

const ASSIGN_MS = 2_000

/** The instance that a document is assigned to. */
export interface HomeAssignment {
  /** Name of the instance. */
  readonly home: string
  /** Raised whenever the document is assigned to another instance. */
  readonly assignment: number
}

/** The right of this instance to read its documents: while it lasts, directory assigns none of them to another one. */
export interface HomeLease {
  /** Raised whenever the lease is granted after it had ended, so that equal numbers mean: without interruption. */
  readonly period: number
  isHeld(): boolean
  /**
   * The instance that directory has assigned a document to; valid while this lease lasts. Throws `not_found`, and
   * `unavailable` when directory cannot be reached.
   */
  assign(docId: string): Promise<HomeAssignment>
  /** Calls back whenever the lease has ended. */
  onEnded(ended: () => void): void
}

/** The lease that directory grants with the reports of this instance. */
export class DirectoryLease implements HomeLease, Disposable {
  /** Random id of this process, by which directory tells it from others of the same name. */
  readonly startId = randomUUID()
  /** Read and prolonged by the thread that renews it while the event loop is blocked as well. */
  readonly clock = new LeaseClock()
  private readonly listeners: ((isHeld: boolean) => void)[] = []
  private timer: NodeJS.Timeout | undefined
  private current = 0
  private failedCount = 0

  constructor(
    private readonly homes: Pick<HomesService, 'assignHomeDocument'>,
    private readonly tokens: Pick<SystemTokenSource, 'token'>,
  ) {}

  get period(): number {
    return this.current
  }

  isHeld(): boolean {
    return this.clock.isHeld()
  }

  /** Number of failed attempts to renew it. */
  get failures(): number {
    return this.failedCount
  }

  /** Counts an attempt to renew it that failed. */
  failed(): void {
    this.failedCount++
  }

  /** Prolongs the lease by a report that was sent at this instant. */
  extend(sentAt: Instant, leaseMs: number): void {
    const isNew = !this.isHeld()
    if (isNew) {
      // The timer may not have done so: the process was stopped, or the clock was set.
      this.tell(false)
      this.current++
    }
    this.clock.extend(sentAt, leaseMs)
    if (isNew) this.tell(this.isHeld())
    this.watch()
  }

  async assign(docId: string): Promise<HomeAssignment> {
    const token = await this.tokens.token()
    return this.homes.assignHomeDocument({ docId }, { token, deadline: Date.now() + ASSIGN_MS })
  }

  onEnded(ended: () => void): void {
    this.onChanged((isHeld) => {
      if (!isHeld) ended()
    })
  }

  /** Calls back whenever the lease has begun or ended. */
  onChanged(listener: (isHeld: boolean) => void): void {
    this.listeners.push(listener)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.timer)
  }

  private watch(): void {
    clearTimeout(this.timer)
    const check = () => (this.isHeld() ? this.watch() : this.tell(false))
    this.timer = setTimeout(check, Math.max(0, this.clock.leftMs)).unref()
  }

  private tell(isHeld: boolean): void {
    for (const listener of this.listeners) listener(isHeld)
  }
}

/** The refusal of a call that had no effect, since this instance may not read its documents. */
export function leaseEnded(): AppError {
  return new AppError(
    'unavailable',
    'HOME_LEASE_ENDED',
    'the instance of the document cannot renew its lease, retry later',
    { retryAfterMs: '1000' },
  )
}
