import { openChannel, type ChannelOptions, type GrpcChannel } from './client'

/** Far more than there are instances of a service; the addresses of replaced instances are evicted in the end. */
const MAX_CHANNELS = 1_000

interface Entry<T> {
  readonly channel: GrpcChannel
  readonly clients: T
  usedAt: number
}

/** One channel for each address of a service with many instances, opened when it is first needed. */
export class ChannelCache<T> implements AsyncDisposable {
  private readonly entries = new Map<string, Entry<T>>()

  /**
   * @param createClients makes what callers use of a new channel
   * @param maxChannels beyond this the channel that was unused for the longest time is closed
   */
  constructor(
    private readonly createClients: (channel: GrpcChannel) => T,
    private readonly options: Omit<ChannelOptions, 'address'>,
    private readonly maxChannels = MAX_CHANNELS,
  ) {}

  /** Returns the clients of the instance at `host:port`. */
  at(address: string): T {
    const entry = this.entries.get(address) ?? this.open(address)
    entry.usedAt = performance.now()
    return entry.clients
  }

  /** Closes all channels; running calls fail. */
  [Symbol.asyncDispose](): Promise<void> {
    for (const { channel } of this.entries.values()) channel.close()
    this.entries.clear()
    return Promise.resolve()
  }

  private open(address: string): Entry<T> {
    if (this.entries.size >= this.maxChannels) this.evict()
    const channel = openChannel({ ...this.options, address })
    const entry = { channel, clients: this.createClients(channel), usedAt: 0 }
    this.entries.set(address, entry)
    return entry
  }

  private evict(): void {
    const [oldest] = [...this.entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    if (!oldest) return
    const [address, { channel }] = oldest
    this.entries.delete(address)
    channel.close()
  }
}
