import { setTimeout as delay } from 'node:timers/promises'
import { transact } from '@sheaf/kit/postgres/database'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely, Transaction } from 'kysely'
import { bumpAccessVersion, isLeaseBehind, readAccessVersion, renewLease } from '../db/leases'
import type { DirectorySchema } from '../db/schema'

/** How long a lease lets its holder answer from memory. */
export const LEASE_MS = 2_000
/** Clocks that run at slightly different speeds. */
const MARGIN_MS = 250
/** How often a change looks whether holders at other instances have dropped. */
const POLL_MS = 20

/** Makes changes of access visible everywhere before they are acknowledged, whatever gateways hold in memory. */
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
   * Runs a change of access, key or user in a transaction; when it returns, no gateway answers from what was before.
   * Waits at most as long as a lease lasts, and only for holders that do not answer. `fn` may run several times: see
   * `transact`.
   * @param isChange false for a result that has left all as it was: gateways forget nothing then, but a change before
   *   it, which may be what has made this one needless, is waited for all the same
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

  /** Renews a holder's lease and returns the version that its answer carries. */
  async renew(holderId: string, droppedVersion: number): Promise<number> {
    const version = await renewLease(this.db, { holderId, droppedVersion, leaseMs: LEASE_MS })
    this.observe(version)
    this.wakeWaiting()
    this.dropped = this.nextDrop()
    return version
  }

  /** Takes note of a version, however it became known, and announces it to the holders at this instance. */
  observe(version: number): void {
    if (!(version > this.latest)) return
    this.latest = version
    for (const announce of this.subscribers) announce(version)
  }

  /** Calls back with every new version until the function returned is called. */
  subscribe(announce: (version: number) => void): () => void {
    this.subscribers.add(announce)
    return () => this.subscribers.delete(announce)
  }

  private nextDrop(): Promise<void> {
    return new Promise((resolve) => (this.wakeWaiting = resolve))
  }

  /**
   * Every lease that is granted after the change tells its holder to drop, so when the time of a lease has passed
   * nobody is behind, even if PostgreSQL cannot be asked.
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
