import type { CallContext } from '@sheaf/protos/call'
import type { CreateDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import type { DocumentDataClients } from '../clients/document-data-clients'
import type { Exchange } from '../http/exchange'
import { isIndeterminate, isRefusedByHome, repeatCall } from '../routing/repeat-call'

/** The token of a reservation is valid for 30 seconds; after this long another one is requested. */
const OLD_MS = 15_000

/** How a document is made. */
export interface DocumentMaking {
  /** Reserves it at directory. */
  reserve(call: CallContext): Promise<CreateDocumentResponse>
  /** Creates its file, on its home; `owner` presents the token of the reservation. */
  fill(home: DocumentDataClients, docId: string, owner: CallContext): Promise<unknown>
}

/**
 * Makes a document in three steps, under one deadline: directory reserves it, its home creates the file, directory publishes
 * it. It is invisible until the last step: when the home cannot be reached, another document is reserved. A client that
 * disconnects does not interrupt it. Returns its UUID.
 */
export async function makeDocument(exchange: Exchange, making: DocumentMaking): Promise<string> {
  const { directory, documentData } = exchange.context
  const caller = { ...exchange.call(), signal: undefined }
  let isReserved = false
  const make = async () => {
    isReserved = false
    const reservedAt = performance.now()
    const { document: reserved, token } = await making.reserve(caller)
    if (!reserved) throw new Error('directory reserved no document')
    isReserved = true
    const { docId, homeAddress } = reserved
    const owner = async () => {
      const isOld = performance.now() - reservedAt > OLD_MS
      return { ...caller, token: isOld ? (await exchange.authorize('')).token : token }
    }
    try {
      await making.fill(documentData.at(homeAddress), docId, { ...caller, token })
    } catch (error) {
      // Its url id is free again then. Directory discards it by itself, later.
      await owner()
        .then((call) => directory.documents.discardDocument({ docId }, call))
        .catch(() => {})
      throw error
    }
    return { docId, owner }
  }
  const isRetryable = (error: unknown) =>
    isReserved && (isRefusedByHome(error) || isIndeterminate(error))
  const { docId, owner } = await repeatCall(exchange, make, isRetryable)
  await directory.documents.publishDocument({ docId }, await owner())
  return docId
}
