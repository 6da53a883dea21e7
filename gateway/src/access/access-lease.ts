import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { Backoff } from '@sheaf/kit/backoff'
import type { AppError } from '@sheaf/kit/errors'
import { instant, LeaseClock, type Instant } from '@sheaf/kit/lease-clock'
import type { Logger } from '@sheaf/kit/logger'
import type { AccessService, HoldLeaseRequest } from '@sheaf/protos/sheaf/directory/v1/access'

const RENEW_EVERY_MS = 500
/** A stream whose response is overdue by this much is considered dead and is reopened. */
const MOST_SILENT_MS = 2_500
const RETRY = { firstMs: 100, longestMs: 2_000 }
/** For so long after the start the lack of a lease is not reported: directory may be starting as well. */
const START_MS = 3_000

/** The part of the lease that the cache needs. */
export interface Lease {
  /** True while directory waits for this gateway before it acknowledges a change of access. */
  isHeld(): boolean
  /** Decisions of older access versions must not be used. */
  readonly version: number
}

/**
 * Holds the lease under which decisions of directory may be cached. The lease expires without further
 * messages, counted from before its renewal was sent, so a frozen stream or process loses it no later than
 * directory stops waiting for it.
 */
export class AccessLease implements Lease, AsyncDisposable {
  version = 0
  private readonly holderId = randomUUID()
  private readonly stopping = new AbortController()
  private readonly clock = new LeaseClock()
  private running?: Promise<void>

  /** @param onEndedHome is called with the address of each instance whose lease has ended */
  constructor(
    private readonly access: Pick<AccessService, 'holdLease'>,
    private readonly system: SystemTokenSource,
    private readonly log: Logger,
    private readonly onEndedHome: (address: string) => void,
  ) {}

  isHeld(): boolean {
    return this.clock.isHeld()
  }

  /** Acquires the lease, and reacquires it whenever it is lost, until disposed of. */
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
    let quietUntil = performance.now() + START_MS
    let isReported = false
    while (!signal.aborted) {
      const lost = await this.hold()
      if (signal.aborted) return
      if (lost.wasHeld) {
        backoff.reset()
        isReported = false
        quietUntil = 0
      }
      // Once per outage; what follows is more of the same.
      const isNews: boolean = !isReported && performance.now() >= quietUntil
      isReported ||= isNews
      const level = isNews ? 'warn' : 'debug'
      this.log[level]({ reason: lost.reason }, 'no access lease: decisions are not cached')
      await delay(backoff.nextDelay(), undefined, { signal }).catch(() => {})
    }
  }

  /** Holds the lease over one stream. Resolves when the stream has ended, for any reason. */
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
        // Older cache entries become unusable here before the next renewal reports it to directory.
        if (isNewer) this.version = answer.accessVersion
        for (const address of answer.endedHomeAddresses) this.onEndedHome(address)
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

  private extend(sentAt: Instant | undefined, leaseMs: number): boolean {
    if (!sentAt) return false
    this.clock.extend(sentAt, leaseMs)
    return true
  }
}

/** One stream of renewals: sends one twice a second and for every new version, and matches the responses. */
class LeaseSession {
  private readonly ended = new AbortController()
  private readonly unanswered: Instant[] = []
  private isDue = true
  private wake: () => void = () => {}

  constructor(
    private readonly holderId: string,
    private readonly version: () => number,
  ) {}

  get signal(): AbortSignal {
    return this.ended.signal
  }

  /** Returns when the renewal was sent that belongs to the response just received; responses are in order. */
  takeAnswered(): Instant | undefined {
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
        this.unanswered.push(instant())
        yield { holderId: this.holderId, droppedVersion: this.version() }
      }
    } finally {
      clearInterval(timer)
    }
  }

  private tick(): void {
    const [oldest] = this.unanswered
    if (!oldest) this.renewNow()
    else if (instant().steady - oldest.steady > MOST_SILENT_MS) this.end()
  }
}
