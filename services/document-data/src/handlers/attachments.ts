import { createHash } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import {
  ArchiveFormat,
  GetAttachmentResponse,
  UploadAttachmentResponse,
  type Attachment as WireAttachment,
  type AttachmentsService,
  type DownloadAttachmentRequest,
  type DownloadAttachmentResponse,
  type GetAttachmentRequest,
  type ListAttachmentsRequest,
  type ListAttachmentsResponse,
  type ReadAttachmentsArchiveRequest,
  type ReadAttachmentsArchiveResponse,
  type ReadAttachmentsHealthRequest,
  type ReadAttachmentsHealthResponse,
  type RemoveUnusedAttachmentsRequest,
  type RemoveUnusedAttachmentsResponse,
  type RestoreAttachmentsRequest,
  type RestoreAttachmentsResponse,
  type UpdateUsedAttachmentsRequest,
  type UpdateUsedAttachmentsResponse,
  type UploadAttachmentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import { extensionOf, mediaTypeOf } from '../file-names'
import { readArchive } from '../store/attachment-archive'
import { verifyFiles } from '../store/attachment-health'
import { removeUnused, updateUsed } from '../store/attachment-removal'
import { restoreFiles } from '../store/attachment-restore'
import { storeContents } from '../store/attachment-uploads'
import { addAttachments, getAttachment, type Attachment } from '../store/attachments'
import { readContent } from '../store/file-contents'
import type { StagedFile } from '../store/staged-files'
import { readArchiveParts, receiveFiles, type AnnouncedFile } from './attachment-parts'
import { attachmentsQuery } from './attachments-query'
import { authorOf, requireDocument } from './document-call'
import { isKnown, runRead, runWrite, tagOf } from './document-options'

const NOTHING = Buffer.alloc(0)

/** The files that are attached to documents. */
export const attachments = (ctx: Context): AttachmentsService => ({
  async uploadAttachment(
    parts: AsyncIterable<UploadAttachmentRequest>,
    call: ServerCall,
  ): Promise<UploadAttachmentResponse> {
    const { docId, options, staged } = await receiveFiles(ctx, call, parts)
    await using files = staged
    const asked = withFiles(options, files.files)
    const maxBytes = ctx.attachmentLimits.documentBytes
    const { signal } = call
    const upload = { docId, author: authorOf(call), files: files.files, maxBytes, signal }
    return await storeContents(ctx.documents, upload, (name) =>
      runWrite(ctx, call, { docId, options: asked }, {
        response: UploadAttachmentResponse,
        run: (doc) => {
          const added = addAttachments(doc, files.files.map(describe), { upload: name, maxBytes })
          const all = added.map(toWire)
          return { attachment: all[0], attachments: all }
        },
      }),
    )
  },

  async *listAttachments(
    request: ListAttachmentsRequest,
    call: ServerCall,
  ): AsyncGenerator<ListAttachmentsResponse> {
    const { docId, options } = request
    requireDocument(ctx, call, docId, 'viewers')
    const { epoch, seq: latest } = ctx.documents.stateOf(docId)
    const etag = tagOf(epoch, latest)
    if (options && isKnown(options, etag)) {
      yield { chunk: NOTHING, seq: latest, etag, notModified: true }
      return
    }
    const query = attachmentsQuery(request)
    const { seq, chunks } = await ctx.documents.readRecords(docId, query, call.signal)
    let isFirst = true
    for await (const chunk of chunks) {
      yield isFirst ? { chunk, seq, etag: tagOf(epoch, seq) } : { chunk, seq: 0 }
      isFirst = false
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
        `the bytes of attachment ${attachmentId} are missing`,
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
    return { changed: await updateUsed(ctx.documents, sweepOf(docId, call)) }
  },

  async removeUnusedAttachments(
    { docId, expiredOnly }: RemoveUnusedAttachmentsRequest,
    call: ServerCall,
  ): Promise<RemoveUnusedAttachmentsResponse> {
    requireDocument(ctx, call, docId, 'owners')
    const sweep = sweepOf(docId, call)
    const removed = await removeUnused(ctx.documents, sweep, { expiredOnly })
    ctx.documents.removeLeftovers(docId)
    return { removed }
  },

  async readAttachmentsHealth(
    { docId }: ReadAttachmentsHealthRequest,
    call: ServerCall,
  ): Promise<ReadAttachmentsHealthResponse> {
    requireDocument(ctx, call, docId, 'owners')
    return { files: await verifyFiles(ctx.documents, docId, call.signal) }
  },

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

const sweepOf = (docId: string, call: ServerCall) => ({
  docId,
  author: authorOf(call),
  signal: call.signal,
})

function describe({ about, size, sha1, sha256 }: StagedFile<AnnouncedFile>) {
  const { fileName, mediaType } = about
  const fileExt = extensionOf(fileName, mediaType)
  return {
    fileIdent: `${sha1}${fileExt}`,
    fileName,
    fileType: mediaTypeOf(fileExt),
    fileSize: size,
    fileExt,
    hash: sha256,
  }
}

/** The same write has the same files, whatever the form that they came in. */
function withFiles(
  options: WriteOptions | undefined,
  files: readonly StagedFile<AnnouncedFile>[],
): WriteOptions | undefined {
  if (!options || options.idempotencyKey === '') return options
  const digest = createHash('sha256').update(options.requestDigest)
  for (const { about, sha256 } of files)
    digest.update(JSON.stringify([about.fileName, about.mediaType, sha256]))
  return { ...options, requestDigest: digest.digest() }
}

function toWire(row: Attachment): WireAttachment {
  const { id, fileName, fileSize, fileType, fileIdent, fileExt, timeUploaded } = row
  return {
    id,
    fileName,
    fileSize,
    timeUploaded: new Date(timeUploaded).toISOString(),
    mediaType: fileType,
    fileIdent,
    fileExt,
  }
}

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
