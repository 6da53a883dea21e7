import type { CreateDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import type { CreateFromSnapshotRequest } from '@sheaf/protos/sheaf/document_data/v1/documents'
import type { ExportDocumentResponse } from '@sheaf/protos/sheaf/document_data/v1/export'
import { cutText } from '@sheaf/kit/truncate-text'
import { z } from 'zod'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { documentCopy } from '../schemas/documents'
import { docParams } from '../schemas/parameters'

const MAX_NAME = 256
const SUFFIX = ' (copy)'
/** The token of a reservation is valid for 30 seconds; after this long another one is requested. */
const OLD_MS = 15_000

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
 * source to that of the copy, and directory publishes it. The copy is not visible before the last step; directory
 * removes incomplete copies.
 */
async function copyDocument(
  exchange: Exchange,
  source: DocumentSession,
  copy: { workspaceId: number; name: string; template: boolean },
): Promise<string> {
  const { directory } = exchange.context
  const { workspaceId, name, template } = copy
  const startedAt = performance.now()
  const request = { workspaceId, name, isPinned: false }
  const reserved = await directory.documents.createDocument(request, exchange.call())
  const docId = await transfer(exchange, source, reserved, template)
  const isOld = performance.now() - startedAt > OLD_MS
  const token = isOld ? (await exchange.authorize('')).token : reserved.token
  const caller = { ...exchange.call(token), signal: undefined }
  await directory.documents.publishDocument({ docId }, caller)
  return docId
}

/** Streams the contents of a document to the instance of its copy, without buffering them here. */
async function transfer(
  exchange: Exchange,
  source: DocumentSession,
  { document: reserved }: CreateDocumentResponse,
  template: boolean,
): Promise<string> {
  if (!reserved) throw new Error('directory reserved no document')
  const { docId, homeAddress } = reserved
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
  return docId
}

async function* toParts(
  docId: string,
  userId: number,
  chunks: AsyncIterable<ExportDocumentResponse>,
): AsyncGenerator<CreateFromSnapshotRequest> {
  yield { part: { $case: 'head', value: { docId, userId } } }
  for await (const { chunk } of chunks) yield { part: { $case: 'chunk', value: chunk } }
}
