import { AppError } from '@sheaf/kit/errors'
import { sendAttachment } from '../documents/attachment-response'
import { uploadAttachments } from '../documents/attachment-upload'
import { readDocument, getReadOptions } from '../documents/conditional-requests'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { sendChunks } from '../documents/record-stream'
import { readSelection } from '../documents/records-selection'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Input, type Route } from '../routing/route'
import {
  attachment,
  attachmentIds,
  attachmentParams,
  attachments,
  attachmentsQuery,
  downloadQuery,
  removeUnusedQuery,
  toAttachment,
  uploadForm,
} from '../schemas/attachments'
import { nothing } from '../schemas/errors'
import { docParams } from '../schemas/parameters'
import { recordsHeaders } from '../schemas/records'

const tag = 'attachments'
const path = '/api/docs/{docId}/attachments'

const upload = {
  method: 'post',
  tag,
  access: 'editors',
  conditions: 'write',
  params: docParams,
  form: uploadForm,
  streams: true,
  success: { description: 'Row ids of the new attachments', schema: attachmentIds },
  async handle(exchange: Exchange, { document }: Input) {
    sendJson(exchange, await uploadAttachments(exchange, document))
  },
} as const

/** Attachments: list, upload, describe, download, verify, remove. */
export const attachmentRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'listAttachments',
    tag,
    summary: 'List attachments',
    description: 'Returns the metadata of attachments, filtered, sorted and paged by the query.',
    access: 'viewers',
    conditions: 'read',
    params: docParams,
    query: attachmentsQuery,
    headers: recordsHeaders,
    streams: true,
    success: { description: 'Metadata of the attachments', schema: attachments },
    handle(exchange, { document, query }) {
      const { filterJson, sort, limit } = readSelection(exchange, {
        ...query,
        cellFormat: 'normal',
      })
      const { docId } = document
      const { offset = 0 } = query
      const request = { docId, filterJson, sort, limit, offset, options: getReadOptions(exchange) }
      return sendChunks(exchange, document, (home, call) =>
        home.attachments.listAttachments(request, call),
      )
    },
  }),
  defineRoute({
    ...upload,
    path,
    id: 'uploadAttachments',
    summary: 'Upload attachments',
    description:
      'Attaches the files of the form field `upload`, all or none. Each file gets its own row; identical contents are stored once. Limits: 1,000 files per request, by default 100 MiB per file and 1,024 MiB per document.',
  }),
  defineRoute({
    ...upload,
    path: '/api/docs/{docId}/attach',
    id: 'attach',
    summary: 'Upload attachments (older path)',
    description: 'Deprecated: use `POST /api/docs/{docId}/attachments` instead.',
    deprecated: true,
  }),
  defineRoute({
    method: 'post',
    path: `${path}/updateUsed`,
    id: 'updateUsedAttachments',
    tag,
    summary: 'Mark unused attachments',
    description:
      'Sets `timeDeleted` of attachments that no cell refers to, and clears it for the others. The server also does this periodically.',
    access: 'editors',
    params: docParams,
    streams: true,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { document }) {
      const { docId } = document
      await document.call((home, call) => home.attachments.updateUsedAttachments({ docId }, call))
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/removeUnused`,
    id: 'removeUnusedAttachments',
    tag,
    summary: 'Remove unused attachments',
    description:
      'Removes attachments that no cell refers to, with their contents. This cannot be undone. Returns 503 `ATTACHMENT_DAMAGED` and removes nothing if contents of an attachment are missing or damaged; with `verifyfiles=0`, they are not verified.',
    access: 'owners',
    params: docParams,
    query: removeUnusedQuery,
    streams: true,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { document, query: { expiredonly, verifyfiles } }) {
      const request = { docId: document.docId, expiredOnly: expiredonly }
      // First, since a request that fails changes nothing.
      if (verifyfiles) await verify(document)
      await document.call((home, call) => home.attachments.removeUnusedAttachments(request, call))
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/verifyFiles`,
    id: 'verifyAttachments',
    tag,
    summary: 'Verify the contents of all attachments',
    description:
      'Compares the stored bytes of every attachment with its size and checksum. Returns 503 `ATTACHMENT_DAMAGED` if contents are missing or damaged.',
    access: 'owners',
    params: docParams,
    streams: true,
    success: { description: 'All contents are intact', schema: nothing },
    async handle(exchange, { document }) {
      await verify(document)
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/{attachmentId}`,
    id: 'describeAttachment',
    tag,
    summary: 'Get attachment metadata',
    description: 'Returns name, size and upload time of an attachment.',
    access: 'viewers',
    conditions: 'read',
    params: attachmentParams,
    success: { description: 'Metadata of the attachment', schema: attachment },
    async handle(exchange, { document, params: { attachmentId } }) {
      const { docId } = document
      const found = await readDocument(exchange, document, (home, call, options) =>
        home.attachments.getAttachment({ docId, attachmentId, options }, call),
      )
      if (found?.attachment) sendJson(exchange, toAttachment(found.attachment))
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/{attachmentId}/download`,
    id: 'downloadAttachment',
    tag,
    summary: 'Download an attachment',
    description:
      'Returns the contents of the file. Supports `Range` with a single range, `If-Range` and `If-None-Match`.',
    access: 'viewers',
    params: attachmentParams,
    query: downloadQuery,
    readsPast: true,
    streams: true,
    success: { description: 'Contents of the file', mediaType: 'application/octet-stream' },
    statuses: {
      206: 'The requested range of the file',
      304: 'The copy that `If-None-Match` names is current. The response has no body.',
      416: 'The range is outside the file. `Content-Range` has the size of the file.',
    },
    async handle(exchange, { document, params: { attachmentId }, query }) {
      const { tableId, colId, rowId, name = '', inline } = query
      const cell = [tableId, colId, rowId].filter((part) => part !== undefined)
      if (cell.length % 3 !== 0)
        throw new AppError(
          'invalid',
          'INVALID_PARAMETER',
          'tableId, colId and rowId must be given together',
        )
      const { docId } = document
      const { asOf } = exchange
      const { attachment: file } = await document.read((home, call) =>
        home.attachments.getAttachment(
          // The ETag of the file, which If-None-Match names, is not that of the document.
          { docId, attachmentId, options: asOf && { ifNoneMatch: [], asOf } },
          call,
        ),
      )
      if (!file) throw new Error('document-data described no attachment')
      await sendAttachment(exchange, document, file, { name, inline })
    },
  }),
]

async function verify(document: DocumentSession): Promise<void> {
  const { docId } = document
  await document.read((home, call) => home.attachments.readAttachmentsHealth({ docId }, call))
}
