import { AppError } from '@sheaf/kit/errors'
import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import type { TlsFiles } from '@sheaf/kit/tls'
import { createDocumentDataClients, type DocumentDataClients } from './document-data-clients'

/** The ids of the rows of one large write come in one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** The clients of every document-data instance, by address. */
export interface DocumentDataChannels extends AsyncDisposable {
  /**
   * Clients of the instance at this address (host:port). Throws AppError `unavailable` for an empty address.
   * @param askedAt when directory was asked for the address, by `performance.now()`: it is of no use if the lease of the
   * instance has ended since
   */
  at(address: string, askedAt?: number): DocumentDataClients
  /** Breaks the running calls to an instance whose lease has ended: a process that is stopped does not refuse them. */
  abort(address: string): void
}

/** The error for a document that no instance serves at the moment. */
export function homeUnavailable(): AppError {
  return new AppError('unavailable', 'HOME_UNAVAILABLE', 'document unavailable, retry later')
}

/** Instances whose lease has ended lately; more than there are. */
const MAX_ENDED = 1_000

/** Creates the clients of document-data; each instance gets one connection, opened when it is first needed. */
export function createDocumentDataChannels(tls?: TlsFiles): DocumentDataChannels {
  // Calls are repeated by repeat-call.ts, at another instance if the document has moved.
  const options = { maxMessageBytes: MAX_MESSAGE_BYTES, multiplexed: true, retries: false, tls }
  const channels = new ChannelCache(createDocumentDataClients, options)
  /** When leases were seen to end, by address; oldest first. */
  const endedAt = new Map<string, number>()
  return {
    at(address, askedAt = Infinity) {
      if (address === '' || askedAt <= (endedAt.get(address) ?? -Infinity)) throw homeUnavailable()
      return channels.at(address)
    },
    abort(address) {
      endedAt.delete(address)
      endedAt.set(address, performance.now())
      const [oldest = ''] = endedAt.keys()
      if (endedAt.size > MAX_ENDED) endedAt.delete(oldest)
      channels.abort(address)
    },
    [Symbol.asyncDispose]: () => channels[Symbol.asyncDispose](),
  }
}
