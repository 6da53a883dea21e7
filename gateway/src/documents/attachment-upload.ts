import { AppError } from '@sheaf/kit/errors'
import type {
  RestoreAttachmentsRequest,
  RestoreAttachmentsResponse,
  UploadAttachmentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { readFiles, type FormFile } from '../http/multipart'
import { getWriteOptions, addStateHeaders, hasKey } from './conditional-requests'
import { RepeatableParts } from './repeatable-parts'

const NOTHING = Buffer.alloc(0)
/** Larger uploads are not kept in memory, and cannot be sent again. */
const MAX_KEPT_BYTES = 1024 * 1024

/**
 * Attaches the files of a form to a document, all or none, while they arrive. Returns their row ids in order.
 * Throws AppError as `readFiles` does, `invalid` without a file, and `too_large` beyond a limit.
 */
export async function uploadAttachments(
  exchange: Exchange,
  document: DocumentSession,
): Promise<number[]> {
  const options = getWriteOptions(exchange, NOTHING)
  const { docId } = document
  const isWanted = ({ name }: FormFile) => name === 'upload'
  const written = await sendFiles(exchange, isWanted, (files) => {
    const parts = new RepeatableParts(toParts(docId, files, options), keeperOf(exchange))
    return document.call((home, call) => home.attachments.uploadAttachment(parts.send(), call), {
      isIdempotent: hasKey(options),
      canRepeat: () => parts.canRepeat,
    })
  })
  addStateHeaders(exchange, written)
  return written.attachments.map(({ id }) => id)
}

/** Restores missing attachment contents of a document from the files of a tar archive in a form. */
export async function restoreAttachments(
  exchange: Exchange,
  document: DocumentSession,
): Promise<RestoreAttachmentsResponse> {
  const { docId } = document
  const isWanted = ({ fileName }: FormFile) => /\.tar$/i.test(fileName)
  return sendFiles(exchange, isWanted, (files) => {
    const parts = new RepeatableParts(toArchiveParts(docId, files), keeperOf(exchange))
    return document.call((home, call) => home.attachments.restoreAttachments(parts.send(), call), {
      canRepeat: () => parts.canRepeat,
    })
  })
}

/** Sends the files of a form; the rest of the form is not read once the call has ended. */
async function sendFiles<T>(
  exchange: Exchange,
  isWanted: (file: FormFile) => boolean,
  send: (files: AsyncIterable<FormFile>) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const signal = AbortSignal.any([exchange.signal, stop.signal])
  try {
    return await send(readFiles(exchange, isWanted, signal))
  } finally {
    stop.abort(new AppError('invalid', 'BODY_UNREADABLE', 'the body is no longer read'))
  }
}

/** Keeps the first parts of an upload, so that a small one can be sent to another home, in the budget of bodies. */
function keeperOf(exchange: Exchange) {
  let kept = 0
  return ({ part }: UploadAttachmentRequest | RestoreAttachmentsRequest): boolean => {
    const bytes = part?.$case === 'chunk' ? part.value.length : 0
    if (kept + bytes > MAX_KEPT_BYTES) return false
    kept += bytes
    try {
      exchange.keep(bytes)
      return true
    } catch {
      return false
    }
  }
}

async function* toParts(
  docId: string,
  files: AsyncIterable<FormFile>,
  asked: WriteOptions | undefined,
): AsyncGenerator<UploadAttachmentRequest> {
  let options = asked
  let isEmpty = true
  for await (const { fileName, mediaType, bytes } of files) {
    const value = { docId, fileName, mediaType }
    yield { part: { $case: 'attachment', value }, options }
    options = undefined
    isEmpty = false
    for await (const chunk of bytes) yield { part: { $case: 'chunk', value: chunk } }
  }
  if (isEmpty) throw new AppError('invalid', 'MISSING_PAYLOAD', 'missing payload')
  yield { part: { $case: 'complete', value: true } }
}

async function* toArchiveParts(
  docId: string,
  files: AsyncIterable<FormFile>,
): AsyncGenerator<RestoreAttachmentsRequest> {
  let isEmpty = true
  for await (const { bytes } of files) {
    if (!isEmpty)
      throw new AppError('invalid', 'MISSING_PAYLOAD', 'the form must have exactly one .tar file')
    yield { part: { $case: 'docId', value: docId } }
    isEmpty = false
    for await (const chunk of bytes) yield { part: { $case: 'chunk', value: chunk } }
  }
  if (isEmpty) throw new AppError('invalid', 'MISSING_PAYLOAD', 'No .tar file found in request')
  yield { part: { $case: 'complete', value: true } }
}
