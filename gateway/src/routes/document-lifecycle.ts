import { z } from 'zod'
import type { Exchange } from '../http/exchange'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { documentMove } from '../schemas/documents'
import { nothing } from '../schemas/errors'
import { docParams, permanent } from '../schemas/parameters'
import { deletedDocumentRoutes } from './deleted-documents'

const tag = 'docs'
const docIdText = z.string().meta({ description: 'UUID of the document' })

/** The document of a path, as a request to directory names it. */
const addressOf = ({ site }: Exchange, { docId }: z.output<typeof docParams>) => ({
  document: docId,
  site,
})

const setPinned = (isPinned: boolean) =>
  async function (exchange: Exchange, { params }: { params: z.output<typeof docParams> }) {
    const { documents } = exchange.context.directory
    await documents.pinDocument({ ...addressOf(exchange, params), isPinned }, exchange.call())
    sendNull(exchange)
  }

/** Documents: move, pin, move to the trash, restore, delete, and restore what was deleted. */
export const documentLifecycleRoutes: readonly Route[] = [
  defineRoute({
    method: 'delete',
    path: '/api/docs/{docId}',
    id: 'deleteDoc',
    tag,
    summary: 'Delete a document',
    description:
      'Deletes a document permanently, in the trash or not: nobody can use it any more. Owners of its site can restore its contents as a new document, for 30 days by default. Requires owner access to the document.',
    access: 'caller',
    params: docParams,
    success: { description: 'UUID of the deleted document', schema: docIdText },
    async handle(exchange, { params }) {
      const { documents } = exchange.context.directory
      const { docId } = await documents.deleteDocument(addressOf(exchange, params), exchange.call())
      sendJson(exchange, docId)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/remove',
    id: 'removeDoc',
    tag,
    summary: 'Move a document to the trash',
    description:
      'Moves a document to the trash, or deletes it if `permanent` is set. The trash is emptied after 30 days by default. Requires owner access to the document.',
    access: 'caller',
    params: docParams,
    query: permanent,
    success: {
      description: 'UUID of the document if it was deleted, else null',
      schema: docIdText.nullable(),
    },
    async handle(exchange, { params, query }) {
      const { documents } = exchange.context.directory
      const address = addressOf(exchange, params)
      if (!query.permanent) {
        await documents.removeDocument(address, exchange.call())
        return sendNull(exchange)
      }
      const { docId } = await documents.deleteDocument(address, exchange.call())
      sendJson(exchange, docId)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/unremove',
    id: 'restoreDoc',
    tag,
    summary: 'Restore a document from the trash',
    description: 'Requires owner access to the document.',
    access: 'caller',
    params: docParams,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { params }) {
      const { documents } = exchange.context.directory
      await documents.restoreDocument(addressOf(exchange, params), exchange.call())
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/docs/{docId}/move',
    id: 'moveDoc',
    tag,
    summary: 'Move a document to another workspace',
    description:
      'The target workspace can belong to another site. Access inherited from the old workspace is lost, except that the caller remains owner. Requires owner access to the document and edit access to the target workspace.',
    access: 'caller',
    params: docParams,
    body: documentMove,
    success: { description: 'UUID of the document', schema: docIdText },
    async handle(exchange, { params, body: { workspace: workspaceId } }) {
      const { documents } = exchange.context.directory
      const request = { ...addressOf(exchange, params), workspaceId }
      const { docId } = await documents.moveDocument(request, exchange.call())
      sendJson(exchange, docId)
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/docs/{docId}/pin',
    id: 'pinDoc',
    tag,
    summary: 'Pin a document',
    description: 'Requires view access to the document and edit access to the site.',
    access: 'caller',
    params: docParams,
    success: { description: 'Done', schema: nothing },
    handle: setPinned(true),
  }),
  defineRoute({
    method: 'patch',
    path: '/api/docs/{docId}/unpin',
    id: 'unpinDoc',
    tag,
    summary: 'Unpin a document',
    description: 'Requires view access to the document and edit access to the site.',
    access: 'caller',
    params: docParams,
    success: { description: 'Done', schema: nothing },
    handle: setPinned(false),
  }),
  ...deletedDocumentRoutes,
]
