import { z } from 'zod'
import { makeDocument } from '../documents/new-document'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { deletedDocuments, deletedQuery, toDeleted, undeletion } from '../schemas/deleted-documents'
import { parseMoment } from '../schemas/moment'
import { orgParams, workspaceParams } from '../schemas/parameters'
import { toOrgRef } from './orgs'

const tag = 'docs'

/** Documents that were deleted permanently: list, restore. */
export const deletedDocumentRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/orgs/{orgId}/deleted',
    id: 'listDeletedDocs',
    tag,
    summary: 'List deleted documents',
    description:
      'Returns the documents of a site that were deleted permanently and can be restored, which is for 30 days by default. Documents that did not inherit owner access from the site are not listed. Requires owner access to the site.',
    access: 'caller',
    params: orgParams,
    query: deletedQuery,
    success: { description: 'Page of documents, latest deletion first', schema: deletedDocuments },
    async handle(exchange, { params, query: { limit, cursor: pageToken } }) {
      const { documents } = exchange.context.directory
      const request = { org: toOrgRef(exchange, params), limit, pageToken }
      const found = await documents.listDeletedDocuments(request, exchange.call())
      sendJson(exchange, {
        documents: found.documents.map(toDeleted),
        nextCursor: found.nextPageToken ?? null,
      })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/workspaces/{workspaceId}/undelete',
    id: 'undeleteDoc',
    tag,
    summary: 'Restore a deleted document',
    description:
      'Creates a document with the contents and the history of one that was deleted permanently, as it was when it was deleted or at a former moment. It has a new id, and none of the webhooks and direct roles of the deleted one: the caller owns it, and other users have the access inherited from the workspace. Requires owner access to the site that had the document, and edit access to the workspace.',
    access: 'caller',
    streams: true,
    params: workspaceParams,
    body: undeletion,
    success: {
      description: 'UUID of the new document',
      schema: z.string().meta({ description: 'UUID of the document' }),
    },
    async handle(exchange, { params: { workspaceId }, body }) {
      const { directory, system } = exchange.context
      const deletedDocId = body.document.toLowerCase()
      const request = { docId: deletedDocId, workspaceId, name: body.name ?? '' }
      const asOf = body.asOf === undefined ? undefined : parseMoment(String(body.asOf))
      sendJson(
        exchange,
        await makeDocument(exchange, {
          reserve: (call) => directory.documents.undeleteDocument(request, call),
          fill: async ({ documents }, docId, owner) => {
            const call = { ...owner, token: await system.token() }
            return documents.createFromDeleted({ docId, deletedDocId, asOf }, call)
          },
        }),
      )
    },
  }),
]
