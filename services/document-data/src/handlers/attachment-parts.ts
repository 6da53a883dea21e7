import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  RestoreAttachmentsRequest,
  UploadAttachmentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import { readFileName } from '../file-names'
import { StagedFiles } from '../store/attachments/staged-files'
import { brokenOff, untilBroken } from './broken-upload'
import { requireDocument } from './document-call'

/** Metadata of an uploaded file, sent before its bytes. */
export interface AnnouncedFile {
  readonly fileName: string
  readonly mediaType: string
}

/** A completely received upload. */
export interface ReceivedFiles {
  readonly docId: string
  readonly options?: WriteOptions
  /** Disposes of the staged files. */
  readonly staged: StagedFiles<AnnouncedFile>
}

const MAX_MEDIA_TYPE = 255
const RETRY_MS = '1000'

/**
 * Receives the files of an upload. Throws `forbidden` before anything is stored, `invalid` for an interrupted
 * stream and `too_large` beyond a limit; in each case the staged files are removed.
 */
export async function receiveFiles(
  ctx: Context,
  call: ServerCall,
  parts: AsyncIterable<UploadAttachmentRequest>,
): Promise<ReceivedFiles> {
  const incoming = untilBroken(parts)
  const first = await incoming.next()
  if (first.done) throw brokenOff()
  const { part: head, options } = first.value
  if (head?.$case !== 'attachment') throw badPart('the first message must start a file')
  const { docId } = head.value
  requireDocument(ctx, call, docId, 'editors')
  // Fails before staging if the document does not exist.
  ctx.documents.stateOf(docId)
  const staged = await openStaged<AnnouncedFile>(ctx, { docId, userId: call.caller.userId })
  try {
    staged.begin(readAnnouncement(head.value))
    await stage(staged, docId, incoming)
    return { docId, options, staged }
  } catch (error) {
    await staged[Symbol.asyncDispose]()
    throw error
  }
}

async function stage(
  staged: StagedFiles<AnnouncedFile>,
  docId: string,
  incoming: AsyncIterator<UploadAttachmentRequest>,
): Promise<void> {
  for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
    const { part } = next.value
    if (part?.$case === 'chunk') await staged.write(part.value)
    else if (part?.$case === 'complete' && part.value) return staged.end()
    else if (part?.$case === 'attachment' && part.value.docId === docId) {
      staged.end()
      staged.begin(readAnnouncement(part.value))
    } else throw badPart('a message must be a chunk, a file of the same document, or the end')
  }
  throw brokenOff()
}

function readAnnouncement(file: AnnouncedFile): AnnouncedFile {
  const { fileName, mediaType } = file
  return { fileName: readFileName(fileName), mediaType: mediaType.slice(0, MAX_MEDIA_TYPE) }
}

/** The bytes of an archive streamed by the client, after checking that the caller may send them. */
export async function readArchiveParts(
  ctx: Context,
  call: ServerCall,
  parts: AsyncIterable<RestoreAttachmentsRequest>,
): Promise<{ docId: string; staged: StagedFiles<undefined>; chunks: AsyncIterable<Uint8Array> }> {
  const incoming = untilBroken(parts)
  const first = await incoming.next()
  const head = first.done ? undefined : first.value.part
  if (head?.$case !== 'docId') throw badPart('the first message must name the document')
  const docId = head.value
  requireDocument(ctx, call, docId, 'owners')
  ctx.documents.stateOf(docId)
  return {
    docId,
    staged: await openStaged<undefined>(ctx, { docId, userId: call.caller.userId }),
    chunks: readChunks(incoming),
  }
}

async function* readChunks(
  incoming: AsyncIterator<RestoreAttachmentsRequest>,
): AsyncGenerator<Uint8Array> {
  for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
    const { part } = next.value
    if (part?.$case === 'complete' && part.value) return
    if (part?.$case !== 'chunk') throw badPart('a message must be a chunk, or the end')
    yield part.value
  }
  throw brokenOff()
}

async function openStaged<T>(
  { documents, uploadPlaces, attachmentLimits }: Context,
  { docId, userId }: { readonly docId: string; readonly userId: number },
): Promise<StagedFiles<T>> {
  const holder = { user: userId, document: docId }
  if (uploadPlaces.check(holder, 1))
    throw new AppError('too_many', 'TOO_MANY_UPLOADS', 'too many concurrent uploads, retry later', {
      retryAfterMs: RETRY_MS,
    })
  uploadPlaces.take(holder, 1)
  const leave = () => uploadPlaces.give(holder, 1)
  try {
    return await StagedFiles.open<T>(
      await documents.lifeCycle.createScratch(),
      attachmentLimits,
      leave,
    )
  } catch (error) {
    leave()
    throw error
  }
}

const badPart = (message: string) =>
  new AppError('invalid', 'BAD_FIELD', message, { field: 'part' })
