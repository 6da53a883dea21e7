import { randomUUID } from 'node:crypto'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { AppError } from '@sheaf/kit/errors'
import { LeaseClock, type Instant } from '@sheaf/kit/lease-clock'
import type {
  AssignHomeDocumentRequest,
  HomesService,
} from '@sheaf/protos/sheaf/directory/v1/homes'
import { writableFormat } from '../store/sqlite/migrations/index'

const ASSIGN_MS = 2_000

/** The instance that a document is assigned to, if this one asks before it uses the document. */
export interface HomeAssignment {
  /** Name of the instance. */
  readonly home: string
  /** Raised whenever the document is assigned to another instance. */
  readonly assignment: number
  /** Newest format that all instances can read: this one may bring the document to it. */
  readonly writeFormat: number
  /** True when directory assigns the document to no other instance. */
  readonly pinned: boolean
}

/** What an instance has found out about a document that it cannot use, so that another one gets it. */
export interface FoundUnusable {
  /** The format that it has, if this instance cannot use that. */
  readonly unreadableFormat?: number
  /** Name of the instance on whose disk alone it is, if that is another one. */
  readonly localHome?: string
}

/** The right of this instance to read its documents: while it lasts, directory assigns none of them to another one. */
export interface HomeLease {
  /** Raised whenever the lease is granted after it had ended, so that equal numbers mean: without interruption. */
  readonly period: number
  isHeld(): boolean
  /** Format of new documents, which all instances can read. */
  readonly writeFormat: number
  /**
   * The instance that directory has assigned a document to; valid while this lease lasts. Throws `not_found`, and
   * `unavailable` when directory cannot be reached.
   * @param found why this instance cannot use the document, if that is known: then another one gets it
   */
  assign(docId: string, found?: FoundUnusable): Promise<HomeAssignment>
  /** As `assign`, for an instance that is not about to use the document: its format stays as it is. */
  find(docId: string): Promise<HomeAssignment>
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
  private allowedFormat = 0

  /** @param instance name of this instance */
  constructor(
    private readonly instance: string,
    private readonly homes: Pick<HomesService, 'assignHomeDocument'>,
    private readonly tokens: Pick<SystemTokenSource, 'token'>,
  ) {}

  get period(): number {
    return this.current
  }

  get writeFormat(): number {
    return writableFormat(this.allowedFormat)
  }

  /** Takes the newest format that all instances can read from the answer to a report. */
  allowFormat(format: number): void {
    this.allowedFormat = format
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

  assign(docId: string, found?: FoundUnusable): Promise<HomeAssignment> {
    return this.ask({ docId, home: this.instance, ...found })
  }

  find(docId: string): Promise<HomeAssignment> {
    return this.ask({ docId })
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

  private async ask(request: AssignHomeDocumentRequest): Promise<HomeAssignment> {
    const token = await this.tokens.token()
    return this.homes.assignHomeDocument(request, { token, deadline: Date.now() + ASSIGN_MS })
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
