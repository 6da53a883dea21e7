import type { ResolvedDocument } from '@sheaf/protos/sheaf/directory/v1/access'
import type { CreateFromSnapshotRequest } from '@sheaf/protos/sheaf/document_data/v1/documents'
import type { ExportDocumentResponse } from '@sheaf/protos/sheaf/document_data/v1/export'
import { cutText } from '@sheaf/kit/truncate-text'
import { z } from 'zod'
import { reserveDocument } from '../documents/reservation'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { documentCopy } from '../schemas/documents'
import { docParams } from '../schemas/parameters'

const MAX_NAME = 256
const SUFFIX = ' (copy)'

/** Documents: copy. */
export const documentCopyRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/copy',
    id: 'copyDoc',
    tag: 'docs',
    summary: 'Copy a document',
    description:
      'Creates a copy without history. The caller owns the copy; other users have only the access inherited from the target workspace. Requires edit access to the target workspace.',
    access: 'viewers',
    readsPast: true,
    streams: true,
    params: docParams,
    body: documentCopy,
    success: {
      description: 'UUID of the copy',
      schema: z.string().meta({ description: 'UUID of the document' }),
    },
    async handle(exchange, { document, body }) {
      const { workspaceId, documentName, asTemplate } = body
      const name = documentName || (await nameCopy(exchange, document.docId))
      const template = asTemplate === true
      sendJson(exchange, await copyDocument(exchange, document, { workspaceId, name, template }))
    },
  }),
]

/** The default name of a copy: that of the document with a suffix. */
async function nameCopy(exchange: Exchange, docId: string): Promise<string> {
  const request = { document: docId, site: '' }
  const { documents } = exchange.context.directory
  const found = await documents.getDocument(request, exchange.call())
  return `${cutText(found.document?.name ?? '', MAX_NAME - SUFFIX.length)}${SUFFIX}`
}

/**
 * Copies a document in three steps: directory reserves the copy, the contents are streamed from the instance of the
 * source to that of the copy, and directory publishes it. The copy is not visible before the last step.
 */
async function copyDocument(
  exchange: Exchange,
  source: DocumentSession,
  copy: { workspaceId: number; name: string; template: boolean },
): Promise<string> {
  const { documents } = exchange.context.directory
  const { workspaceId, name, template } = copy
  const request = { workspaceId, name, isPinned: false }
  const call = exchange.call()
  const reserved = await reserveDocument(exchange, {
    reserve: () => documents.createDocument(request, call),
    call: { ...call, signal: undefined },
  })
  try {
    await transfer(exchange, source, reserved.document, template)
    await reserved.publish()
  } catch (error) {
    await reserved.discard()
    throw error
  }
  return reserved.document.docId
}

/** Streams the contents of a document to the instance of its copy, without buffering them here. */
async function transfer(
  exchange: Exchange,
  source: DocumentSession,
  { docId, homeAddress }: ResolvedDocument,
  template: boolean,
): Promise<void> {
  const { documentData, system } = exchange.context
  const { userId } = await exchange.authorize('')
  await source.call(async (home, call) => {
    const { asOf } = exchange
    const options = asOf && { ifNoneMatch: [], asOf }
    const snapshot = { docId: source.docId, noHistory: true, template, options }
    const chunks = home.exports.exportDocument(snapshot, call)
    const caller = exchange.call(await system.token())
    await documentData
      .at(homeAddress)
      .documents.createFromSnapshot(toParts(docId, userId, chunks), caller)
  })
}

async function* toParts(
  docId: string,
  userId: number,
  chunks: AsyncIterable<ExportDocumentResponse>,
): AsyncGenerator<CreateFromSnapshotRequest> {
  yield { part: { $case: 'head', value: { docId, userId } } }
  for await (const { chunk } of chunks) yield { part: { $case: 'chunk', value: chunk } }
}
