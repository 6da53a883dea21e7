import { requireNoCaps } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  GetAttachmentResponse,
  type AttachmentsService,
  type DownloadAttachmentRequest,
  type DownloadAttachmentResponse,
  type GetAttachmentRequest,
  type ListAttachmentsRequest,
  type ListAttachmentsResponse,
  type ReadAttachmentsHealthRequest,
  type ReadAttachmentsHealthResponse,
  type RemoveUnusedAttachmentsRequest,
  type RemoveUnusedAttachmentsResponse,
  type UpdateUsedAttachmentsRequest,
  type UpdateUsedAttachmentsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { Context } from '../context'
import { verifyFiles } from '../store/attachments/attachment-health'
import { removeUnused, updateUsed } from '../store/attachments/attachment-removal'
import { getAttachment, type Attachment } from '../store/attachments/attachments'
import { readContent } from '../store/attachments/content-reads'
import { toWire } from './attachment-wire'
import { attachmentsQuery } from './attachments-query'
import { authorOf, readerOf, requireDocument } from './document-call'
import { isKnown, runRead, tagOf } from './document-options'

const NOTHING = Buffer.alloc(0)

type Rpcs = Omit<
  AttachmentsService,
  'uploadAttachment' | 'readAttachmentsArchive' | 'restoreAttachments'
>

/** Handlers of AttachmentsService. */
export const attachments = (ctx: Context): Rpcs => ({
  async *listAttachments(
    request: ListAttachmentsRequest,
    call: ServerCall,
  ): AsyncGenerator<ListAttachmentsResponse> {
    const { docId, options } = request
    requireDocument(ctx, call, docId, 'viewers')
    const current = ctx.documents.stateOf(docId)
    if (options && isKnown(options, current)) {
      yield { chunk: NOTHING, seq: current.seq, etag: tagOf(current), notModified: true }
      return
    }
    const query = attachmentsQuery(request)
    const { seq, chunks, release } = await ctx.documents.readRecords(docId, query, readerOf(call))
    let isFirst = true
    try {
      for await (const chunk of chunks) {
        yield isFirst ? { chunk, seq, etag: tagOf({ ...current, seq }) } : { chunk, seq: 0 }
        isFirst = false
      }
    } finally {
      release?.()
    }
  },

  async getAttachment(
    request: GetAttachmentRequest,
    call: ServerCall,
  ): Promise<GetAttachmentResponse> {
    requireDocument(ctx, call, request.docId, 'viewers')
    return runRead(ctx, request, GetAttachmentResponse, ({ connection }) => ({
      attachment: toWire(getAttachment(connection, request.attachmentId)),
    }))
  },

  async *downloadAttachment(
    { docId, attachmentId, offset, length }: DownloadAttachmentRequest,
    call: ServerCall,
  ): AsyncGenerator<DownloadAttachmentResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    const found = ctx.documents.read<Attachment>(docId, ({ connection }) =>
      getAttachment(connection, attachmentId),
    )
    const { content } = found
    if (!content)
      throw new AppError(
        'not_found',
        'ATTACHMENT_MISSING',
        `the contents of attachment ${attachmentId} are missing`,
      )
    const range = readRange({ offset, length }, content.size)
    yield { part: { $case: 'attachment', value: toWire({ ...found, fileSize: content.size }) } }
    for await (const chunk of readContent(ctx.documents, docId, content, range)) {
      call.signal.throwIfAborted()
      yield { part: { $case: 'chunk', value: chunk } }
    }
  },

  async updateUsedAttachments(
    { docId }: UpdateUsedAttachmentsRequest,
    call: ServerCall,
  ): Promise<UpdateUsedAttachmentsResponse> {
    requireDocument(ctx, call, docId, 'editors')
    requireNoCaps(call)
    return { changed: await updateUsed(ctx.documents, sweepOf(docId, call)) }
  },

  async removeUnusedAttachments(
    { docId, expiredOnly }: RemoveUnusedAttachmentsRequest,
    call: ServerCall,
  ): Promise<RemoveUnusedAttachmentsResponse> {
    requireDocument(ctx, call, docId, 'owners')
    const sweep = sweepOf(docId, call)
    const removed = await removeUnused(ctx.documents, sweep, { expiredOnly })
    ctx.documents.removeOrphanedContents(docId)
    return { removed }
  },

  async readAttachmentsHealth(
    { docId }: ReadAttachmentsHealthRequest,
    call: ServerCall,
  ): Promise<ReadAttachmentsHealthResponse> {
    requireDocument(ctx, call, docId, 'owners')
    return { files: await verifyFiles(ctx.documents, docId, call.signal) }
  },
})

const sweepOf = (docId: string, call: ServerCall) => ({
  docId,
  author: authorOf(call),
  signal: call.signal,
})

function readRange(
  { offset, length }: { readonly offset: number; readonly length: number },
  size: number,
): { offset: number; length: number } {
  if (offset < 0 || length < 0)
    throw new AppError('invalid', 'BAD_FIELD', 'offset and length must not be negative')
  if (offset > size || (offset === size && size > 0))
    throw new AppError('range', 'RANGE_NOT_SATISFIABLE', 'offset is beyond the end of the file')
  const left = size - offset
  return { offset, length: length === 0 ? left : Math.min(length, left) }
}
