import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { listEndedHomes, type EndedHome } from '../db/homes'
import type { DirectorySchema } from '../db/schema'

/** How long a replicated instance may serve its documents after the report that asked for its lease. */
export const HOME_LEASE_MS = 2_000
/** For so much longer no other instance takes over: margin for clocks that run at slightly different speeds. */
export const HOME_MARGIN_MS = 250
/** Milliseconds between two looks at the leases, and without replicated instances. */
const LOOK_MS = 250
const REST_MS = 2_000

/** Notices that leases of replicated instances have ended, within a quarter of a second. */
export class EndedHomes implements Disposable {
  private ended: readonly EndedHome[] = []
  private readonly subscribers = new Set<(addresses: readonly string[]) => void>()
  private timer: NodeJS.Timeout | undefined
  private failing = false
  private closed = false

  constructor(
    private readonly db: Kysely<DirectorySchema>,
    private readonly log: Logger,
  ) {}

  /** Names of the instances whose lease has ended and was not granted again. */
  get names(): string[] {
    return this.ended.map(({ name }) => name)
  }

  /** Looks now, and from then on. */
  start(): void {
    void this.run()
  }

  /**
   * Calls back with the addresses of the instances whose lease has ended, if any, and then with those of each whose lease
   * ends, until the returned function is called.
   */
  subscribe(announce: (addresses: readonly string[]) => void): () => void {
    this.subscribers.add(announce)
    this.announce(addressesOf(this.ended), [announce])
    return () => this.subscribers.delete(announce)
  }

  [Symbol.dispose](): void {
    this.closed = true
    clearTimeout(this.timer)
  }

  private async run(): Promise<void> {
    const isAnyReplicated = await this.look()
    if (!this.closed)
      this.timer = setTimeout(() => void this.run(), isAnyReplicated ? LOOK_MS : REST_MS).unref()
  }

  private async look(): Promise<boolean> {
    try {
      const { isAnyReplicated, ended } = await listEndedHomes(this.db)
      const known = new Set(this.names)
      const news = ended.filter(({ name }) => !known.has(name))
      this.ended = ended
      this.failing = false
      for (const { name } of news) this.log.warn({ home: name }, 'the lease of an instance ended')
      this.announce(addressesOf(news), this.subscribers)
      return isAnyReplicated
    } catch (error) {
      if (!this.failing && !this.closed)
        this.log.warn({ err: error }, 'failed to read the leases of instances, retrying')
      this.failing = true
      return true
    }
  }

  private announce(
    addresses: readonly string[],
    to: Iterable<(addresses: readonly string[]) => void>,
  ): void {
    if (addresses.length > 0) for (const announce of to) announce(addresses)
  }
}

const addressesOf = (homes: readonly EndedHome[]): string[] =>
  homes.flatMap(({ address }) => address ?? [])
