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
import { getWriteOptions, addStateHeaders } from './conditional-requests'

const NOTHING = Buffer.alloc(0)

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
    const send = once(toParts(docId, files, options))
    return document.call((home, call) => home.attachments.uploadAttachment(send(), call))
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
    const send = once(toArchiveParts(docId, files))
    return document.call((home, call) => home.attachments.restoreAttachments(send(), call))
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

/** A body comes once: a call that has begun to send it cannot be made again. */
function once<T>(parts: AsyncGenerator<T>): () => AsyncGenerator<T> {
  let isSent = false
  return () => {
    if (isSent)
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'document unavailable, retry later')
    isSent = true
    return parts
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
