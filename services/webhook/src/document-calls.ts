import { isTokenFresh } from '@sheaf/auth/caller-token'
import { AppError, toAppError } from '@sheaf/kit/errors'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import type { TlsFiles } from '@sheaf/kit/tls'
import type { CallContext } from '@sheaf/protos/call'
import type { AccessService } from '@sheaf/protos/sheaf/directory/v1/access'
import { ChangesServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { TablesServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { LRUCache } from 'lru-cache'

/** Far more than there are document-data instances. */
const MAX_CHANNELS = 1_000
/** Documents whose homes and tokens are cached. */
const MAX_GRANTS = 10_000
/** A token is replaced when it expires within this time. */
const MARGIN_MS = 5_000
const RESOLVE_MS = 5_000
/** A log entry with many rows arrives in messages of some MiB. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** Reasons for which a home or token is stale. */
const outdated = new Set(['WRONG_HOME', 'BAD_CALLER_TOKEN', 'SERVICE_UNAVAILABLE'])

/** Clients of one document-data instance. */
export interface DocumentClients {
  readonly channel: GrpcChannel
  readonly changes: ChangesServiceClientImpl
  readonly tables: TablesServiceClientImpl
}

interface Grant {
  readonly token: string
  readonly expiresAt: number
  readonly address: string
}

/**
 * Calls document-data on behalf of Sheaf itself: locates the home of a document and presents a token for it.
 */
export class DocumentCalls implements AsyncDisposable {
  private readonly grants = new LRUCache<string, Grant>({ max: MAX_GRANTS })
  private readonly clients = new LRUCache<string, DocumentClients>({
    max: MAX_CHANNELS,
    dispose: ({ channel }) => channel.close(),
  })

  constructor(
    private readonly access: Pick<AccessService, 'resolveAccess'>,
    private readonly serviceKey: string,
    private readonly tls?: TlsFiles,
  ) {}

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
      return await run(this.at(address), { token })
    } catch (error) {
      if (outdated.has(toAppError(error)?.reason ?? '')) this.grants.delete(docId)
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.clients.clear()
    return Promise.resolve()
  }

  private async grantFor(docId: string): Promise<Grant> {
    const known = this.grants.get(docId)
    if (known && isTokenFresh(known.expiresAt, MARGIN_MS)) return known
    const credential = { $case: 'serviceKey' as const, value: this.serviceKey }
    const request = { credential, document: docId, site: '', neededRole: 0 }
    const deadline = Date.now() + RESOLVE_MS
    const granted = await this.access.resolveAccess(request, { deadline })
    const address = granted.document?.homeAddress ?? ''
    if (address === '')
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'document unavailable, retry later')
    const grant = { token: granted.token, expiresAt: granted.tokenExpiresAt, address }
    this.grants.set(docId, grant)
    return grant
  }

  private at(address: string): DocumentClients {
    const known = this.clients.get(address)
    if (known) return known
    const channel = openChannel({
      address,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      multiplexed: true,
      tls: this.tls,
    })
    const clients = {
      channel,
      changes: new ChangesServiceClientImpl(channel),
      tables: new TablesServiceClientImpl(channel),
    }
    this.clients.set(address, clients)
    return clients
  }
}

/**
 * Returns the seq of the latest entry of a document's log, even if earlier ones were truncated. Throws as
 * `run` does.
 */
export function readLatestSeq(calls: Pick<DocumentCalls, 'run'>, docId: string): Promise<number> {
  return calls.run(docId, async ({ tables }, call) => {
    const { seq } = await tables.listTables({ docId, withColumns: false }, call)
    return seq
  })
}
