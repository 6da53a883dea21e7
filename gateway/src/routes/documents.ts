import { z } from 'zod'
import { describeDocument } from '../documents/document-description'
import type { Exchange } from '../http/exchange'
import { sendBytes, sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { document, documentFields } from '../schemas/documents'
import { isIndeterminate, isRefusedByHome, repeatCall } from '../routing/repeat-call'
import { docParams, showRemoved, workspaceParams } from '../schemas/parameters'

const tag = 'docs'
const newDocId = z.string().meta({ description: 'UUID of the document' })

/** Documents: create, describe, update. */
export const documentRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/workspaces/{workspaceId}/docs',
    id: 'createDoc',
    tag,
    summary: 'Create a document',
    description:
      'Creates a document with an empty table `Table1`. Requires edit access to the workspace.',
    access: 'caller',
    isHot: true,
    params: workspaceParams,
    body: documentFields,
    success: { description: 'UUID of the new document', schema: newDocId },
    async handle(exchange, { params: { workspaceId }, body }) {
      const { name, isPinned, urlId } = body
      sendJson(
        exchange,
        await createDocument(exchange, {
          workspaceId,
          name: name ?? '',
          isPinned: isPinned ?? false,
          urlId: urlId ?? undefined,
        }),
      )
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}',
    id: 'describeDoc',
    tag,
    summary: 'Get a document',
    description:
      'Returns the metadata of a document with its workspace and site. Requires view access to the document.',
    access: 'caller',
    isHot: true,
    params: docParams,
    query: showRemoved,
    success: { description: 'Metadata of the document', schema: document },
    async handle(exchange, { params: { docId }, query }) {
      const question = { document: docId, removed: query.showRemoved }
      sendBytes(exchange, await describeDocument(exchange, question))
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/docs/{docId}',
    id: 'modifyDoc',
    tag,
    summary: 'Update document metadata',
    description:
      'Changes name, `urlId` or pin of a document; omitted fields keep their value. Requires owner access to the document.',
    access: 'caller',
    params: docParams,
    body: documentFields,
    success: { description: 'UUID of the document', schema: newDocId },
    async handle(exchange, { params, body: { name, isPinned, urlId } }) {
      const { context, site } = exchange
      const request = {
        document: params.docId,
        site,
        name: name ?? undefined,
        isPinned,
        urlId: urlId === null ? '' : urlId,
      }
      const { docId } = await context.directory.documents.updateDocument(request, exchange.call())
      sendJson(exchange, docId)
    },
  }),
]

type CreateRequest = Parameters<Exchange['context']['directory']['documents']['createDocument']>[0]

/**
 * Creates a document in three steps, under one deadline: directory reserves it, its home creates the file,
 * directory publishes it. It is invisible until the last step: when the home cannot be reached, another document
 * is reserved. A client that disconnects does not interrupt it.
 */
async function createDocument(exchange: Exchange, request: CreateRequest): Promise<string> {
  const { directory, documentData } = exchange.context
  const caller = { ...exchange.call(), signal: undefined }
  let isReserved = false
  const make = async () => {
    isReserved = false
    const { document: reserved, token } = await directory.documents.createDocument(request, caller)
    if (!reserved) throw new Error('directory reserved no document')
    isReserved = true
    const { docId, homeAddress } = reserved
    const owner = { ...caller, token }
    try {
      const { documents } = documentData.at(homeAddress)
      await documents.createDocument({ docId, timezone: '', locale: '' }, owner)
    } catch (error) {
      // Its url id is free again then. Directory discards it by itself, later.
      await directory.documents.discardDocument({ docId }, owner).catch(() => {})
      throw error
    }
    return { docId, owner }
  }
  const isRetryable = (error: unknown) =>
    isReserved && (isRefusedByHome(error) || isIndeterminate(error))
  const { docId, owner } = await repeatCall(exchange, make, isRetryable)
  await directory.documents.publishDocument({ docId }, owner)
  return docId
}
