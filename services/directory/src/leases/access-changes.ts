import { setTimeout as delay } from 'node:timers/promises'
import { transact } from '@sheaf/kit/postgres/database'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely, Transaction } from 'kysely'
import { bumpAccessVersion, isLeaseBehind, readAccessVersion, renewLease } from '../db/leases'
import type { DirectorySchema } from '../db/schema'

/** How long a lease allows its holder to serve cached decisions. */
export const LEASE_MS = 2_000
/** Margin for clocks that run at slightly different speeds. */
const MARGIN_MS = 250
/** Interval of checks whether holders at other instances have invalidated their caches. */
const POLL_MS = 20

/** Makes changes of access visible at all gateways before they are acknowledged, despite cached decisions. */
export class AccessChanges {
  private latest = 0
  private readonly subscribers = new Set<(version: number) => void>()
  private wakeWaiting = () => {}
  private dropped = this.nextDrop()

  constructor(
    private readonly db: Kysely<DirectorySchema>,
    private readonly log: Logger,
  ) {}

  /**
   * Runs a change of access, key or user in a transaction; when it returns, no gateway serves earlier
   * decisions. Waits at most for the duration of a lease, and only for holders that do not respond. `fn` may
   * run several times: see `transact`.
   * @param isChange false for a result that changed nothing: caches are not invalidated then, but the call
   * still waits for an earlier change, which may be the reason why this one had no effect
   */
  async change<T>(
    fn: (trx: Transaction<DirectorySchema>) => Promise<T>,
    isChange: (result: T) => boolean = () => true,
  ): Promise<T> {
    const { result, version } = await transact(this.db, async (trx) => {
      const result = await fn(trx)
      const version = isChange(result) ? await bumpAccessVersion(trx) : await readAccessVersion(trx)
      return { result, version }
    })
    this.observe(version)
    await this.untilDropped(version)
    return result
  }

  /** The latest version that this instance knows of; 0 before the first. */
  get version(): number {
    return this.latest
  }

  /** Renews a holder's lease and returns the version for the response. */
  async renew(holderId: string, droppedVersion: number): Promise<number> {
    const version = await renewLease(this.db, { holderId, droppedVersion, leaseMs: LEASE_MS })
    this.observe(version)
    this.wakeWaiting()
    this.dropped = this.nextDrop()
    return version
  }

  /** Records a new version from any source, and announces it to the holders at this instance. */
  observe(version: number): void {
    if (!(version > this.latest)) return
    this.latest = version
    for (const announce of this.subscribers) announce(version)
  }

  /** Calls back with every new version until the returned function is called. */
  subscribe(announce: (version: number) => void): () => void {
    this.subscribers.add(announce)
    return () => this.subscribers.delete(announce)
  }

  private nextDrop(): Promise<void> {
    return new Promise((resolve) => (this.wakeWaiting = resolve))
  }

  /**
   * Every lease granted after the change invalidates its holder's cache, so after the duration of a lease no
   * holder is behind, even if PostgreSQL is unreachable.
   */
  private async untilDropped(version: number): Promise<void> {
    const end = performance.now() + LEASE_MS + MARGIN_MS
    try {
      while (performance.now() < end && (await isLeaseBehind(this.db, version)))
        await Promise.race([this.dropped, delay(POLL_MS)])
    } catch (error) {
      this.log.warn(
        { err: error },
        'failed to read lease confirmations, waiting until all leases expire',
      )
      await delay(Math.max(0, end - performance.now()))
    }
  }
}
