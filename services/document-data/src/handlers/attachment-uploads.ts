import { createHash } from 'node:crypto'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import {
  UploadAttachmentResponse,
  type AttachmentsService,
  type UploadAttachmentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import { extensionOf, mediaTypeOf } from '../file-names'
import { storeContents } from '../store/attachments/attachment-uploads'
import { addAttachments } from '../store/attachments/attachments'
import type { StagedFile } from '../store/attachments/staged-files'
import { receiveFiles, type AnnouncedFile } from './attachment-parts'
import { toWire } from './attachment-wire'
import { authorOf } from './document-call'
import { runWrite } from './document-options'

/** Handlers that upload attachments. */
export const attachmentUploads = (ctx: Context): Pick<AttachmentsService, 'uploadAttachment'> => ({
  async uploadAttachment(
    parts: AsyncIterable<UploadAttachmentRequest>,
    call: ServerCall,
  ): Promise<UploadAttachmentResponse> {
    const { docId, options, staged } = await receiveFiles(ctx, call, parts)
    await using files = staged
    if (options?.dryRun)
      throw new AppError('invalid', 'BAD_FIELD', 'options.dry_run is not supported')
    const asked = withFiles(options, files.files)
    const maxBytes = ctx.attachmentLimits.documentBytes
    const { signal } = call
    const upload = { docId, author: authorOf(call), files: files.files, maxBytes, signal }
    return await storeContents(ctx.documents, upload, (name) =>
      runWrite(
        ctx,
        call,
        { docId, options: asked },
        {
          response: UploadAttachmentResponse,
          run: (doc) => {
            const added = addAttachments(doc, files.files.map(describe), { upload: name, maxBytes })
            const all = added.map(toWire)
            return { attachment: all[0], attachments: all }
          },
        },
      ),
    )
  },
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

/**
 * Adds the files to the request digest, so that the same files identify the same write however they are sent.
 */
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
