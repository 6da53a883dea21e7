import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { Backoff } from '@sheaf/kit/backoff'
import type { AppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import type { AccessService, HoldLeaseRequest } from '@sheaf/protos/sheaf/directory/v1/access'

const RENEW_EVERY_MS = 500
/** A stream that owes an answer for this long is taken for dead and opened again. */
const MOST_SILENT_MS = 2_500
const RETRY = { firstMs: 100, longestMs: 2_000 }

/** What the cache needs of the lease. */
export interface Lease {
  /** True while directory waits for this gateway before it acknowledges a change of access. */
  isHeld(): boolean
  /** Decisions from older access versions must not be used. */
  readonly version: number
}

/** A moment on both clocks: one stands still while the machine sleeps, the other can be set. */
interface Moment {
  readonly steady: number
  readonly wall: number
}

const now = (): Moment => ({ steady: performance.now(), wall: Date.now() })

/**
 * Holds the lease under which decisions of directory may be cached. The lease ends by itself, counted from before its
 * renewal was sent, so a frozen stream or process loses it no later than directory stops waiting for it.
 */
export class AccessLease implements Lease, AsyncDisposable {
  version = 0
  private readonly holderId = randomUUID()
  private readonly stopping = new AbortController()
  private ends: Moment = { steady: -Infinity, wall: -Infinity }
  private begun: Moment = { steady: -Infinity, wall: -Infinity }
  private running?: Promise<void>

  constructor(
    private readonly access: Pick<AccessService, 'holdLease'>,
    private readonly system: SystemTokenSource,
    private readonly log: Logger,
  ) {}

  isHeld(): boolean {
    const wall = Date.now()
    return performance.now() < this.ends.steady && wall < this.ends.wall && wall >= this.begun.wall
  }

  /** Begins to hold the lease and to hold it again whenever it is lost, until disposed of. */
  start(): void {
    this.running ??= this.run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    const backoff = new Backoff(RETRY)
    while (!signal.aborted) {
      const lost = await this.hold()
      if (signal.aborted) return
      if (lost.wasHeld) backoff.reset()
      // Once per outage; what follows is more of the same.
      const level = backoff.isFresh ? 'warn' : 'debug'
      this.log[level]({ reason: lost.reason }, 'no access lease: decisions are not cached')
      await delay(backoff.nextDelay(), undefined, { signal }).catch(() => {})
    }
  }

  /** Holds the lease over one stream; resolves when the stream has ended, for whatever reason. */
  private async hold(): Promise<{ wasHeld: boolean; reason: string }> {
    const session = new LeaseSession(this.holderId, () => this.version)
    const end = () => session.end()
    this.stopping.signal.addEventListener('abort', end, { once: true })
    let wasHeld = false
    try {
      const token = await this.system.token()
      const { signal } = session
      for await (const answer of this.access.holdLease(session.requests(), { token, signal })) {
        const isNewer = answer.accessVersion > this.version
        // What is cached from before becomes unusable here, before directory is told so.
        if (isNewer) this.version = answer.accessVersion
        if (answer.leaseMs > 0) wasHeld = this.extend(session.takeAnswered(), answer.leaseMs)
        if (isNewer) session.renewNow()
      }
      return { wasHeld, reason: 'STREAM_ENDED' }
    } catch (error) {
      return { wasHeld, reason: (error as Partial<AppError>).reason ?? String(error) }
    } finally {
      session.end()
      this.stopping.signal.removeEventListener('abort', end)
    }
  }

  private extend(sentAt: Moment | undefined, leaseMs: number): boolean {
    if (!sentAt) return false
    this.begun = sentAt
    this.ends = { steady: sentAt.steady + leaseMs, wall: sentAt.wall + leaseMs }
    return true
  }
}

/** One stream of renewals: sends twice a second and whenever there is something to tell, and matches the answers. */
class LeaseSession {
  private readonly ended = new AbortController()
  private readonly unanswered: Moment[] = []
  private isDue = true
  private wake: () => void = () => {}

  constructor(
    private readonly holderId: string,
    private readonly version: () => number,
  ) {}

  get signal(): AbortSignal {
    return this.ended.signal
  }

  /** When the renewal was sent that the answer just received belongs to; answers come in order. */
  takeAnswered(): Moment | undefined {
    return this.unanswered.shift()
  }

  renewNow(): void {
    this.isDue = true
    this.wake()
  }

  end(): void {
    this.ended.abort()
    this.wake()
  }

  async *requests(): AsyncGenerator<HoldLeaseRequest> {
    const timer = setInterval(() => this.tick(), RENEW_EVERY_MS)
    try {
      while (!this.signal.aborted) {
        if (!this.isDue) await new Promise<void>((resolve) => (this.wake = resolve))
        if (this.signal.aborted) return
        this.isDue = false
        this.unanswered.push(now())
        yield { holderId: this.holderId, droppedVersion: this.version() }
      }
    } finally {
      clearInterval(timer)
    }
  }

  private tick(): void {
    const [oldest] = this.unanswered
    if (!oldest) this.renewNow()
    else if (performance.now() - oldest.steady > MOST_SILENT_MS) this.end()
  }
}
