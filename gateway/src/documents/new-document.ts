import type { CallContext } from '@sheaf/protos/call'
import type { CreateDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import type { DocumentDataClients } from '../clients/document-data-clients'
import type { Exchange } from '../http/exchange'
import { isIndeterminate, isRefusedByHome, repeatCall } from '../routing/repeat-call'
import { reserveDocument } from './reservation'

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
  const { documentData } = exchange.context
  const call = { ...exchange.call(), signal: undefined }
  let isReserved = false
  const make = async () => {
    isReserved = false
    const reserved = await reserveDocument(exchange, { reserve: () => making.reserve(call), call })
    isReserved = true
    const { docId, homeAddress } = reserved.document
    try {
      const owner = { ...call, token: reserved.token }
      await making.fill(documentData.at(homeAddress), docId, owner)
    } catch (error) {
      // Its url id is free again then.
      await reserved.discard()
      throw error
    }
    return reserved
  }
  const isRetryable = (error: unknown) =>
    isReserved && (isRefusedByHome(error) || isIndeterminate(error))
  const { document, publish } = await repeatCall(exchange, make, isRetryable)
  await publish()
  return document.docId
}
