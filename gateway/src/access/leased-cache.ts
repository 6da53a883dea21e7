import { LRUCache } from 'lru-cache'
import type { Lease } from './access-lease'

interface Entry<Value> {
  readonly value: Value
  /** The access version at which directory was asked, or a later one that its answer reflects. */
  readonly version: number
}

/** The largest number of entries, and of bytes. */
export interface CacheBounds<Value> {
  readonly entries: number
  readonly bytes?: number
  /** Size of a value in bytes; needed with `bytes`. */
  readonly sizeOf?: (value: Value) => number
  /** Milliseconds for which a value is used, if it has parts that change without an announcement. */
  readonly ageMs?: number
}

/** Memory of an entry besides key and value, about. */
const ENTRY_BYTES = 200

/**
 * Caches what follows from the state of directory, only while stale values are impossible: while the access lease is
 * held, and until the next change. directory acknowledges a change of what is cached only when every holder of a lease
 * knows of it.
 */
export class LeasedCache<Value extends object> {
  private readonly kept: LRUCache<string, Entry<Value>>

  constructor(
    private readonly lease: Lease,
    { entries, bytes, sizeOf = () => 0, ageMs = 0 }: CacheBounds<Value>,
  ) {
    this.kept = new LRUCache({
      max: entries,
      ttl: ageMs,
      ...(bytes !== undefined && {
        maxSize: bytes,
        sizeCalculation: ({ value }, key) => key.length + sizeOf(value) + ENTRY_BYTES,
      }),
    })
  }

  /** The access version to keep an answer with that is asked for now. */
  get version(): number {
    return this.lease.version
  }

  /** Returns the value of a key, unless it may be stale. */
  find(key: string): Value | undefined {
    const { lease } = this
    if (!lease.isHeld()) return undefined
    const entry = this.kept.get(key)
    return entry && entry.version >= lease.version ? entry.value : undefined
  }

  /** Keeps a value that reflects the access version, unless that has been passed. */
  keep(key: string, value: Value, version: number): void {
    if (this.lease.isHeld() && version >= this.lease.version) this.kept.set(key, { value, version })
  }

  /** Returns the value of a key, asking directory for it when it is not cached. */
  async get(key: string, ask: () => Promise<Value>): Promise<Value> {
    const found = this.find(key)
    if (found) return found
    // A change that the answer may not reflect has a later version: it is announced before it is acknowledged.
    const { version } = this
    const value = await ask()
    this.keep(key, value, version)
    return value
  }

  /** Evicts a value. */
  delete(key: string): void {
    this.kept.delete(key)
  }
}
