import { isGrantFresh, resolveSystemAccess } from '@sheaf/auth/system-token'
import { AppError, toAppError } from '@sheaf/kit/errors'
import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import type { GrpcChannel } from '@sheaf/kit/grpc/client'
import type { TlsFiles } from '@sheaf/kit/tls'
import type { CallContext } from '@sheaf/protos/call'
import type { AccessService } from '@sheaf/protos/sheaf/directory/v1/access'
import { ChangesServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { TablesServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { LRUCache } from 'lru-cache'

/** Documents whose homes and tokens are remembered. */
const MAX_GRANTS = 10_000
/** An entry of the log that holds many rows comes in messages of some MiB. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** Reasons for which a home or token is stale. */
const outdated = new Set([
  'WRONG_HOME',
  'DOCUMENT_MOVED',
  'HOME_LEASE_ENDED',
  'BAD_CALLER_TOKEN',
  'SERVICE_UNAVAILABLE',
])

/** True for the failure of a call whose home or token was stale: the next call locates the document again. */
export function isOutdated(error: unknown): boolean {
  return outdated.has(toAppError(error)?.reason ?? '')
}

/** Clients of one document-data instance. */
export interface DocumentClients {
  readonly channel: GrpcChannel
  readonly changes: ChangesServiceClientImpl
  readonly tables: TablesServiceClientImpl
}

interface Grant {
  readonly token: string
  readonly tokenExpiresAt: number
  readonly address: string
}

/**
 * Calls document-data on behalf of Sheaf itself: locates the home of a document and presents a token for it.
 */
export class DocumentCalls implements AsyncDisposable {
  private readonly grants = new LRUCache<string, Grant>({ max: MAX_GRANTS })
  private readonly channels: ChannelCache<DocumentClients>

  constructor(
    private readonly access: Pick<AccessService, 'resolveAccess'>,
    private readonly serviceKey: string,
    tls?: TlsFiles,
  ) {
    const options = { maxMessageBytes: MAX_MESSAGE_BYTES, multiplexed: true, tls }
    this.channels = new ChannelCache(createClients, options)
  }

  /**
   * Runs a call at the document's home. Throws AppError: `not_found` when the document does not exist,
   * `unavailable` when its home or directory is unreachable, and the errors of the call. The call is not
   * retried, but the next one locates the home again.
   */
  async run<T>(
    docId: string,
    run: (clients: DocumentClients, call: Pick<CallContext, 'token'>) => Promise<T>,
  ): Promise<T> {
    const { token, address } = await this.grantFor(docId)
    try {
      return await run(this.channels.at(address), { token })
    } catch (error) {
      if (isOutdated(error)) this.grants.delete(docId)
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.channels[Symbol.asyncDispose]()
  }

  private async grantFor(docId: string): Promise<Grant> {
    const known = this.grants.get(docId)
    if (known && isGrantFresh(known)) return known
    const granted = await resolveSystemAccess(this.access, this.serviceKey, docId)
    const address = granted.document?.homeAddress ?? ''
    if (address === '')
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'document unavailable, retry later')
    const { token, tokenExpiresAt } = granted
    const grant = { token, tokenExpiresAt, address }
    this.grants.set(docId, grant)
    return grant
  }
}

const createClients = (channel: GrpcChannel): DocumentClients => ({
  channel,
  changes: new ChangesServiceClientImpl(channel),
  tables: new TablesServiceClientImpl(channel),
})

/** Seq of the latest entry of a document's log, whether or not earlier ones are kept. Throws as `run` of the calls does. */
export function readLatestSeq(calls: Pick<DocumentCalls, 'run'>, docId: string): Promise<number> {
  return calls.run(docId, async ({ tables }, call) => {
    const { seq } = await tables.listTables({ docId, withColumns: false }, call)
    return seq
  })
}
