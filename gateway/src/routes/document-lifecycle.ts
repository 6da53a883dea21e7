import { z } from 'zod'
import type { Exchange } from '../http/exchange'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { documentMove } from '../schemas/documents'
import { nothing } from '../schemas/errors'
import { docParams, permanent } from '../schemas/parameters'

const tag = 'docs'
const docIdText = z.string().meta({ description: 'UUID of the document' })

/** Returns the document address of a path in the form of directory. */
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

/** Documents: move, pin, trash, delete. */
export const documentLifecycleRoutes: readonly Route[] = [
  defineRoute({
    method: 'delete',
    path: '/api/docs/{docId}',
    id: 'deleteDoc',
    tag,
    summary: 'Delete a document',
    description: 'It cannot be undone.',
    access: 'caller',
    params: docParams,
    success: { description: 'The document', schema: docIdText },
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
    summary: 'Put a document into the trash, or delete it',
    access: 'caller',
    params: docParams,
    query: permanent,
    success: { description: 'The document if it was deleted', schema: docIdText.nullable() },
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
    summary: 'Take a document out of the trash',
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
    access: 'caller',
    params: docParams,
    body: documentMove,
    success: { description: 'The document', schema: docIdText },
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
    access: 'caller',
    params: docParams,
    success: { description: 'Done', schema: nothing },
    handle: setPinned(false),
  }),
]
