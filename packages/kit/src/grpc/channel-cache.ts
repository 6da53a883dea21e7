import { openChannel, type ChannelOptions, type GrpcChannel } from './client'

/** Far more than there are instances of a service; the addresses of replaced instances are evicted in the end. */
const MAX_CHANNELS = 1_000
/** Time until an evicted channel is closed: its calls have reached their default deadlines by then. */
const GRACE_MS = 5 * 60_000

interface Entry<T> {
  readonly channel: GrpcChannel
  readonly clients: T
}

/** One channel for each address of a service with many instances, opened when it is first needed. */
export class ChannelCache<T> implements AsyncDisposable {
  /** Least recently used first. */
  private readonly entries = new Map<string, Entry<T>>()
  /** Evicted channels, on which calls may still run; oldest first. */
  private readonly evicted: { readonly channel: GrpcChannel; readonly since: number }[] = []

  /**
   * @param createClients makes what callers use of a new channel
   * @param maxChannels beyond this the least recently used channel is evicted: it gets no new calls, and is closed some
   * minutes later, or when as many others have been evicted
   */
  constructor(
    private readonly createClients: (channel: GrpcChannel) => T,
    private readonly options: Omit<ChannelOptions, 'address'>,
    private readonly maxChannels = MAX_CHANNELS,
  ) {}

  /** Returns the clients of the instance at `host:port`. */
  at(address: string): T {
    const entry = this.entries.get(address) ?? this.open(address)
    this.entries.delete(address)
    this.entries.set(address, entry)
    return entry.clients
  }

  /** Breaks all running calls to an address, with an unknown effect; later ones use a new connection. */
  abort(address: string): void {
    const entry = this.entries.get(address)
    if (!entry) return
    this.retire(address, entry)
    entry.channel.abort()
  }

  /** Closes all channels; running calls fail. */
  [Symbol.asyncDispose](): Promise<void> {
    for (const { channel } of [...this.entries.values(), ...this.evicted.splice(0)]) channel.close()
    this.entries.clear()
    return Promise.resolve()
  }

  private open(address: string): Entry<T> {
    if (this.entries.size >= this.maxChannels) this.evict()
    this.closeEvicted()
    const channel = openChannel({ ...this.options, address })
    return { channel, clients: this.createClients(channel) }
  }

  private evict(): void {
    const [oldest] = this.entries
    if (!oldest) return
    this.retire(...oldest)
  }

  private retire(address: string, { channel }: Entry<T>): void {
    this.entries.delete(address)
    this.evicted.push({ channel, since: performance.now() })
  }

  private closeEvicted(): void {
    const before = performance.now() - GRACE_MS
    for (let [first] = this.evicted; first; [first] = this.evicted) {
      if (first.since > before && this.evicted.length <= this.maxChannels) return
      this.evicted.shift()?.channel.close()
    }
  }
}
