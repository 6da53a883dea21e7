import { AppError } from '@sheaf/kit/errors'
import { ArchiveFormat } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { attachmentNamed } from '../documents/attachment-name'
import { restoreAttachments } from '../documents/attachment-upload'
import { sendChunks } from '../documents/record-stream'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  archiveForm,
  archiveQuery,
  restored,
  store,
  stores,
  transferStatus,
} from '../schemas/attachments'
import { docParams } from '../schemas/parameters'

const tag = 'attachments'
const path = '/api/docs/{docId}/attachments'

/** The contents of attachments are stored in their document only, so there is nothing to transfer. */
const settled = {
  status: { pendingTransferCount: 0, isRunning: false, successes: 0, failures: 0 },
  locationSummary: 'internal' as const,
}

const media = { zip: 'application/zip', tar: 'application/x-tar' }
const formats = { zip: ArchiveFormat.UNSPECIFIED, tar: ArchiveFormat.TAR }

/**
 * Archives of all attachments of a document, and their storage. These paths precede that of one attachment.
 */
export const attachmentStoreRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: `${path}/archive`,
    id: 'downloadAttachmentsArchive',
    tag,
    summary: 'Download all files in an archive',
    access: 'viewers',
    params: docParams,
    query: archiveQuery,
    streams: true,
    success: { description: 'The archive', mediaType: 'application/zip' },
    async handle(exchange, { document, query: { format } }) {
      const { docId } = document
      const { documents } = exchange.context.directory
      const described = await documents.getDocument({ document: docId, site: '' }, exchange.call())
      const name = `${described.document?.name ?? ''}-Attachments`
      exchange.headers.push('Content-Disposition', attachmentNamed(name, `.${format}`))
      const request = { docId, format: formats[format] }
      await sendChunks(
        exchange,
        document,
        (home, call) => home.attachments.readAttachmentsArchive(request, call),
        { head: () => ({ mediaType: media[format], cache: 'no-store' }) },
      )
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/archive`,
    id: 'restoreAttachments',
    tag,
    summary: 'Restore the bytes of attachments that miss them, from an archive',
    access: 'owners',
    params: docParams,
    form: archiveForm,
    streams: true,
    success: { description: 'What became of the files of the archive', schema: restored },
    async handle(exchange, { document }) {
      const { added, errored, unused } = await restoreAttachments(exchange, document)
      sendJson(exchange, { added, errored, unused })
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/store`,
    id: 'describeAttachmentStore',
    tag,
    summary: 'Tell where the bytes of attachments lie',
    access: 'viewers',
    params: docParams,
    success: { description: 'The place', schema: store },
    async handle(exchange) {
      sendJson(exchange, { type: 'internal' })
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/store`,
    id: 'chooseAttachmentStore',
    tag,
    summary: 'Choose where the bytes of attachments lie',
    description: 'This server keeps them in their document; there is no other place to choose.',
    access: 'owners',
    params: docParams,
    body: store,
    success: { description: 'Done', schema: store.partial() },
    async handle(exchange, { body: { type } }) {
      if (type === 'external')
        throw new AppError(
          'invalid',
          'NO_EXTERNAL_STORE',
          'server is not configured with an external store',
        )
      sendJson(exchange, {})
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/stores`,
    id: 'listAttachmentStores',
    tag,
    summary: 'List the places outside of documents where their attachments could lie',
    access: 'owners',
    params: docParams,
    success: { description: 'The places: there are none', schema: stores },
    async handle(exchange) {
      sendJson(exchange, { stores: [] })
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/transferAll`,
    id: 'transferAttachments',
    tag,
    summary: 'Bring all bytes of attachments to the place chosen for them',
    access: 'owners',
    params: docParams,
    success: { description: 'How far that is', schema: transferStatus },
    async handle(exchange) {
      sendJson(exchange, settled)
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/transferStatus`,
    id: 'describeAttachmentTransfer',
    tag,
    summary: 'Tell how far the bytes of attachments have been brought',
    access: 'viewers',
    params: docParams,
    success: { description: 'How far that is', schema: transferStatus },
    async handle(exchange) {
      sendJson(exchange, settled)
    },
  }),
]
