import { createLocalJWKSet, type JSONWebKeySet } from 'jose'

type KeyResolver = ReturnType<typeof createLocalJWKSet>

/** When keys are fetched, in milliseconds. */
export interface RefreshTimes {
  /** Minimum age of the keys when a token with an unknown key id causes another fetch. */
  readonly refetchMs: number
  /** Age at which keys are fetched again in any case; never by default. */
  readonly keepMs?: number
  /** How long a failed fetch is not repeated; 0 by default. */
  readonly retryMs?: number
}

/** Public keys of an issuer of tokens: fetched at first use, and again when a token names an unknown key. */
export class RefreshedKeys {
  private resolver?: KeyResolver
  private ids: ReadonlySet<string> = new Set()
  private fetchedAt = -Infinity
  private failure?: { readonly at: number; readonly error: unknown }
  private fetching?: Promise<void>

  constructor(
    private readonly fetchKeys: () => Promise<JSONWebKeySet>,
    private readonly times: RefreshTimes,
  ) {}

  /**
   * Returns what `jwtVerify` resolves keys with; undefined when no key has this id. A token without an id may have been
   * signed by any of the keys. Throws what fetching the keys throws.
   */
  async find(kid: string | undefined): Promise<KeyResolver | undefined> {
    const { refetchMs, keepMs = Infinity } = this.times
    const age = performance.now() - this.fetchedAt
    if (age > keepMs || (!this.has(kid) && age > refetchMs)) await this.refresh()
    return this.has(kid) ? this.resolver : undefined
  }

  private has(kid: string | undefined): boolean {
    return kid === undefined ? this.resolver !== undefined : this.ids.has(kid)
  }

  /** Concurrent calls share one fetch. */
  private async refresh(): Promise<void> {
    const { failure, times } = this
    if (failure && performance.now() - failure.at < (times.retryMs ?? 0)) throw failure.error
    await (this.fetching ??= this.fetch().finally(() => (this.fetching = undefined)))
  }

  private async fetch(): Promise<void> {
    try {
      const set = await this.fetchKeys()
      this.resolver = createLocalJWKSet(set)
      this.ids = new Set(set.keys.map(({ kid }) => kid ?? ''))
      this.fetchedAt = performance.now()
      this.failure = undefined
    } catch (error) {
      this.failure = { at: performance.now(), error }
      throw error
    }
  }
}
