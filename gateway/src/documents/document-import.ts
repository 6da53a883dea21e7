import { IMPORT_OPTIONS, requireProtocol } from '@sheaf/auth/require-protocol'
import type { CreateDocumentRequest } from '@sheaf/protos/sheaf/directory/v1/documents'
import type {
  ImportDocumentRequest,
  ImportedDocument,
  ImportOptions,
  ImportProgress,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { Exchange } from '../http/exchange'
import type { FormFile } from '../http/multipart'
import { reserveDocument, type Reservation } from './reservation'
import { UploadStream } from './upload-stream'

/** An uploaded file, and the document to create from it. */
export interface Upload {
  readonly file: FormFile
  /** How it is read; absent when the caller has no wishes. */
  readonly options: ImportOptions | undefined
  readonly workspaceId: number
  /** Title of the document. */
  readonly title: string
  readonly onProgress: (progress: ImportProgress) => Promise<void> | void
}

/** A document that was created from a file. */
export interface CreatedDocument {
  readonly docId: string
  readonly tables: ImportedDocument['tables']
  /** What of the file was left out or changed. */
  readonly notes: ImportedDocument['notes']
}

/**
 * Creates a document from a file while it arrives: directory reserves a document, its home builds the file,
 * and directory publishes it. `whole` rejects when the form turns out to be malformed. When any step fails,
 * the document is discarded.
 */
export async function importDocument(
  exchange: Exchange,
  upload: Upload,
  whole: Promise<unknown>,
): Promise<CreatedDocument> {
  const { workspaceId, title } = upload
  const reserved = await reserve(exchange, { workspaceId, name: title, isPinned: false })
  try {
    const stop = new AbortController()
    const made = transfer(exchange, upload, reserved, stop.signal)
    const [{ tables, notes }] = await Promise.all([made, whole]).catch((error: unknown) => {
      stop.abort(error)
      throw error
    })
    await reserved.publish()
    return { docId: reserved.document.docId, tables, notes }
  } catch (error) {
    // Also when the outcome of publishing is unknown: a published document is not affected.
    await reserved.discard()
    throw error
  }
}

/** Runs a function with a document that is reserved for it and discarded afterwards. */
export async function withReservedDocument<T>(
  exchange: Exchange,
  request: CreateDocumentRequest,
  run: (reserved: Reservation) => Promise<T>,
): Promise<T> {
  const reserved = await reserve(exchange, request)
  try {
    return await run(reserved)
  } finally {
    await reserved.discard()
  }
}

async function reserve(exchange: Exchange, request: CreateDocumentRequest): Promise<Reservation> {
  const { documents } = exchange.context.directory
  const call = exchange.call()
  return reserveDocument(exchange, {
    reserve: () => documents.createDocument(request, call),
    // A started import is completed, also when the client disconnects.
    call: { ...call, signal: undefined, deadline: undefined },
  })
}

/** Streams a file of a form to document-data, which imports it; the gateway never buffers it whole. */
async function transfer(
  exchange: Exchange,
  { file, options, onProgress }: Upload,
  { document: reserved, token }: Reservation,
  stop: AbortSignal,
): Promise<ImportedDocument> {
  if (options) requireProtocol(reserved.homeProtocol, IMPORT_OPTIONS)
  const { imports } = exchange.context.documentData.at(reserved.homeAddress)
  const call = exchange.call(token)
  const signal = AbortSignal.any([exchange.signal, stop])
  const { fileName } = file
  const value = { docId: reserved.docId, fileName, options }
  const upload = new UploadStream(file)
  const parts = upload.parts<ImportDocumentRequest>({ part: { $case: 'head', value } })
  try {
    for await (const { part } of imports.importDocument(parts, { ...call, signal })) {
      if (part?.$case === 'done') return part.value
      if (part) await onProgress(part.value)
    }
  } catch (error) {
    // The error of the call says less than the reason why its upload failed.
    throw upload.failure ?? error
  }
  throw new Error('document-data returned no result of an import')
}
