import type { CallContext } from '@sheaf/protos/call'
import type { ResolvedDocument } from '@sheaf/protos/sheaf/directory/v1/access'
import type { CreateDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import type { Exchange } from '../http/exchange'

/** The token of a reservation is valid for 30 seconds; after this long another one is requested. */
const OLD_MS = 15_000

/** A document that directory has reserved for a caller. It is invisible until it is published. */
export interface Reservation {
  readonly document: ResolvedDocument
  /** Caller token for the document. */
  readonly token: string
  /** Makes the document visible. */
  readonly publish: () => Promise<void>
  /**
   * Gives the document up, unless it was published. Never throws: the client receives the error that came first, and
   * directory discards the document by itself, later.
   */
  readonly discard: () => Promise<void>
}

/** How a document is reserved. */
export interface Reserving {
  /** Calls directory. */
  readonly reserve: () => Promise<CreateDocumentResponse>
  /** The context of the calls that publish or discard the document; they present the token of the reservation. */
  readonly call: CallContext
}

/** Reserves a document. */
export async function reserveDocument(
  exchange: Exchange,
  { reserve, call }: Reserving,
): Promise<Reservation> {
  const { directory, log } = exchange.context
  const reservedAt = performance.now()
  const { document, token } = await reserve()
  if (!document) throw new Error('directory reserved no document')
  const { docId } = document
  const owner = async () => {
    const isOld = performance.now() - reservedAt > OLD_MS
    return { ...call, token: isOld ? (await exchange.authorize('')).token : token }
  }
  return {
    document,
    token,
    async publish() {
      await directory.documents.publishDocument({ docId }, await owner())
    },
    async discard() {
      try {
        await directory.documents.discardDocument({ docId }, await owner())
      } catch (error) {
        log.warn({ err: error, docId }, 'failed to discard a reserved document')
      }
    },
  }
}
