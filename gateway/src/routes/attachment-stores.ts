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

/** Attachments are stored in their document only, so there is never anything to transfer. */
const settled = {
  status: { pendingTransferCount: 0, isRunning: false, successes: 0, failures: 0 },
  locationSummary: 'internal' as const,
}

const media = { zip: 'application/zip', tar: 'application/x-tar' }
const formats = { zip: ArchiveFormat.UNSPECIFIED, tar: ArchiveFormat.TAR }

/** Archives of all attachments of a document, and their storage. These paths come before that of one attachment. */
export const attachmentStoreRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: `${path}/archive`,
    id: 'downloadAttachmentsArchive',
    tag,
    summary: 'Download all attachments as an archive',
    description:
      'Returns a ZIP or TAR archive with one entry `<SHA-1>_<file name>` for each distinct file.',
    access: 'viewers',
    params: docParams,
    query: archiveQuery,
    streams: true,
    success: { description: 'Archive of the files', mediaType: 'application/zip' },
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
    summary: 'Restore missing attachment contents from an archive',
    description:
      'Restores the contents of attachments that lack them from a TAR archive with entries `<SHA-1>_<file name>`.',
    access: 'owners',
    params: docParams,
    form: archiveForm,
    streams: true,
    success: { description: 'Numbers of restored, failed and unused files', schema: restored },
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
    summary: 'Get the attachment store',
    description: 'Attachments are always stored in their document.',
    access: 'viewers',
    params: docParams,
    success: { description: 'Type of the store', schema: store },
    async handle(exchange) {
      sendJson(exchange, { type: 'internal' })
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/store`,
    id: 'chooseAttachmentStore',
    tag,
    summary: 'Set the attachment store',
    description:
      'Accepts `internal` only: this server stores attachments in their document and has no external stores.',
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
    summary: 'List external attachment stores',
    description: 'Returns an empty list: this server has no external stores.',
    access: 'owners',
    params: docParams,
    success: { description: 'Empty list', schema: stores },
    async handle(exchange) {
      sendJson(exchange, { stores: [] })
    },
  }),
  defineRoute({
    method: 'post',
    path: `${path}/transferAll`,
    id: 'transferAttachments',
    tag,
    summary: 'Transfer attachments to the chosen store',
    description: 'Does nothing: attachments are always stored in their document.',
    access: 'owners',
    params: docParams,
    success: { description: 'Status of the transfer', schema: transferStatus },
    async handle(exchange) {
      sendJson(exchange, settled)
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/transferStatus`,
    id: 'describeAttachmentTransfer',
    tag,
    summary: 'Get the status of the attachment transfer',
    description: 'No transfer is ever pending: attachments are always stored in their document.',
    access: 'viewers',
    params: docParams,
    success: { description: 'Status of the transfer', schema: transferStatus },
    async handle(exchange) {
      sendJson(exchange, settled)
    },
  }),
]
