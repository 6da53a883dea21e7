import { z } from 'zod'
import { describeDocument, describeWithPreferences } from '../documents/document-description'
import { makeDocument } from '../documents/new-document'
import { sendBytes, sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { document, documentFields, documentQuery } from '../schemas/documents'
import { docParams, workspaceParams } from '../schemas/parameters'
import { documentPreferenceRoutes } from './document-preferences'

const tag = 'docs'
const newDocId = z.string().meta({ description: 'UUID of the document' })

/** Documents: create, describe, update; preferences in them. */
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
      const { directory } = exchange.context
      const request = {
        workspaceId,
        name: name ?? '',
        isPinned: isPinned ?? false,
        urlId: urlId ?? undefined,
      }
      sendJson(
        exchange,
        await makeDocument(exchange, {
          reserve: (call) => directory.documents.createDocument(request, call),
          fill: ({ documents }, docId, owner) =>
            documents.createDocument({ docId, timezone: '', locale: '' }, owner),
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
    query: documentQuery,
    success: { description: 'Metadata of the document', schema: document },
    async handle(exchange, { params: { docId }, query }) {
      const question = { document: docId, removed: query.showRemoved }
      const describe = query.expand === 'preferences' ? describeWithPreferences : describeDocument
      sendBytes(exchange, await describe(exchange, question))
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
  ...documentPreferenceRoutes,
]
