import type { ServerCall } from '@sheaf/auth/server-call'
import {
  ArchiveFormat,
  type AttachmentsService,
  type ReadAttachmentsArchiveRequest,
  type ReadAttachmentsArchiveResponse,
  type RestoreAttachmentsRequest,
  type RestoreAttachmentsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { Context } from '../context'
import { readArchive } from '../store/attachments/attachment-archive'
import { restoreFiles } from '../store/attachments/attachment-restore'
import { readArchiveParts } from './attachment-parts'
import { authorOf, requireDocument } from './document-call'

type Rpcs = Pick<AttachmentsService, 'readAttachmentsArchive' | 'restoreAttachments'>

/** Handlers that read and restore all attachments of a document as one archive. */
export const attachmentArchives = (ctx: Context): Rpcs => ({
  async *readAttachmentsArchive(
    { docId, format }: ReadAttachmentsArchiveRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadAttachmentsArchiveResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    ctx.documents.stateOf(docId)
    const kind = format === ArchiveFormat.TAR ? 'tar' : 'zip'
    for await (const chunk of readArchive(ctx.documents, docId, kind)) {
      call.signal.throwIfAborted()
      yield { chunk: Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) }
    }
  },

  async restoreAttachments(
    parts: AsyncIterable<RestoreAttachmentsRequest>,
    call: ServerCall,
  ): Promise<RestoreAttachmentsResponse> {
    const { docId, staged, chunks } = await readArchiveParts(ctx, call, parts)
    await using files = staged
    const { signal } = call
    const maxBytes = ctx.attachmentLimits.documentBytes
    const upload = { docId, author: authorOf(call), maxBytes, signal }
    return await restoreFiles({ store: ctx.documents, staged: files, upload }, chunks)
  },
})
