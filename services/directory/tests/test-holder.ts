import { randomUUID } from 'node:crypto'
import type { CallContext } from '@sheaf/protos/call'
import type { AccessService, HoldLeaseRequest } from '@sheaf/protos/sheaf/directory/v1/access'

/** Holds a lease and keeps things in memory under it, as a gateway does. */
export class TestHolder implements AsyncDisposable {
  /** What is remembered, until access changes. */
  readonly cache = new Map<string, string>()
  /** The newest version heard of. */
  version = 0
  /** Whether news is taken and told at once. A frozen holder does neither. */
  frozen = false
  private leaseEnd = 0
  private readonly holderId = randomUUID()
  private readonly sent: number[] = []
  private readonly queue: HoldLeaseRequest[] = []
  private readonly abort = new AbortController()
  private wake = () => {}
  private readonly done: Promise<void>
  private timer?: NodeJS.Timeout

  constructor(access: AccessService, call: CallContext) {
    const answers = access.holdLease(this.requests(), { ...call, signal: this.abort.signal })
    this.done = this.read(answers).catch(() => {})
    this.renew()
  }

  /** Renews over and over. */
  keepAlive(everyMs: number): void {
    this.timer = setInterval(() => this.renew(), everyMs)
  }

  /** What is remembered, if the lease allows to use it now. */
  recall(key: string): string | undefined {
    return this.hasLease() ? this.cache.get(key) : undefined
  }

  hasLease(): boolean {
    return performance.now() < this.leaseEnd
  }

  /** Asks for more time, and tells what has been dropped. */
  renew(): void {
    if (this.frozen) return
    this.sent.push(performance.now())
    this.queue.push({ holderId: this.holderId, droppedVersion: this.version })
    this.wake()
  }

  private async *requests(): AsyncGenerator<HoldLeaseRequest> {
    while (!this.abort.signal.aborted) {
      const next = this.queue.shift()
      if (next) yield next
      else await new Promise<void>((resolve) => (this.wake = resolve))
    }
  }

  private async read(answers: ReturnType<AccessService['holdLease']>): Promise<void> {
    for await (const { accessVersion, leaseMs } of answers) {
      if (this.frozen) continue
      const isNews = accessVersion > this.version
      if (isNews) this.cache.clear()
      this.version = Math.max(this.version, accessVersion)
      if (leaseMs > 0) this.leaseEnd = (this.sent.shift() ?? 0) + leaseMs
      if (isNews) this.renew()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer)
    this.abort.abort()
    this.wake()
    await this.done
  }
}
