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
import { whileAllowed } from './access-watch'
import { getWriteOptions, addStateHeaders, hasKey } from './conditional-requests'
import { keeperOf, RepeatableParts } from './repeatable-parts'

const NOTHING = Buffer.alloc(0)

/**
 * Attaches the files of a form to a document, all or none, while they arrive. Returns their row ids in order.
 * Nothing is attached once the caller's access has ended. Throws AppError as `readFiles` does, `invalid` without a file, and `too_large` beyond a limit.
 */
export async function uploadAttachments(
  exchange: Exchange,
  document: DocumentSession,
): Promise<number[]> {
  const options = getWriteOptions(exchange, NOTHING)
  const isWanted = ({ name }: FormFile) => name === 'upload'
  const written = await sendFiles(exchange, document, isWanted, (files, signal) => {
    const parts = new RepeatableParts(toParts(document, files, options), keeperOf(exchange))
    return document.call(
      (home, call) => home.attachments.uploadAttachment(parts.send(), { ...call, signal }),
      { isIdempotent: hasKey(options), canRepeat: () => parts.canRepeat && !signal.aborted },
    )
  })
  addStateHeaders(exchange, written)
  return written.attachments.map(({ id }) => id)
}

/** Restores missing attachment contents of a document from the files of a tar archive in a form. */
export async function restoreAttachments(
  exchange: Exchange,
  document: DocumentSession,
): Promise<RestoreAttachmentsResponse> {
  const isWanted = ({ fileName }: FormFile) => /\.tar$/i.test(fileName)
  return sendFiles(exchange, document, isWanted, (files, signal) => {
    const parts = new RepeatableParts(toArchiveParts(document, files), keeperOf(exchange))
    return document.call(
      (home, call) => home.attachments.restoreAttachments(parts.send(), { ...call, signal }),
      { canRepeat: () => parts.canRepeat && !signal.aborted },
    )
  })
}

/** Sends the files of a form while the caller has access; the rest of the form is not read once the call has ended. */
async function sendFiles<T>(
  exchange: Exchange,
  document: DocumentSession,
  isWanted: (file: FormFile) => boolean,
  send: (files: AsyncIterable<FormFile>, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  try {
    return await whileAllowed(exchange, document, (signal) => {
      const reading = AbortSignal.any([signal, stop.signal])
      return send(readFiles(exchange, isWanted, reading), signal)
    })
  } finally {
    stop.abort(new AppError('invalid', 'BODY_UNREADABLE', 'the body is no longer read'))
  }
}

async function* toParts(
  document: DocumentSession,
  files: AsyncIterable<FormFile>,
  asked: WriteOptions | undefined,
): AsyncGenerator<UploadAttachmentRequest> {
  let options = asked
  let isEmpty = true
  for await (const { fileName, mediaType, bytes } of files) {
    const value = { docId: document.docId, fileName, mediaType }
    yield { part: { $case: 'attachment', value }, options }
    options = undefined
    isEmpty = false
    for await (const chunk of bytes) yield { part: { $case: 'chunk', value: chunk } }
  }
  if (isEmpty) throw new AppError('invalid', 'MISSING_PAYLOAD', 'missing payload')
  await document.refresh()
  yield { part: { $case: 'complete', value: true } }
}

async function* toArchiveParts(
  document: DocumentSession,
  files: AsyncIterable<FormFile>,
): AsyncGenerator<RestoreAttachmentsRequest> {
  let isEmpty = true
  for await (const { bytes } of files) {
    if (!isEmpty)
      throw new AppError('invalid', 'MISSING_PAYLOAD', 'the form must have exactly one .tar file')
    yield { part: { $case: 'docId', value: document.docId } }
    isEmpty = false
    for await (const chunk of bytes) yield { part: { $case: 'chunk', value: chunk } }
  }
  if (isEmpty) throw new AppError('invalid', 'MISSING_PAYLOAD', 'No .tar file found in request')
  await document.refresh()
  yield { part: { $case: 'complete', value: true } }
}
