import { IMPORT_OPTIONS, requireProtocol } from '@sheaf/auth/require-protocol'
import type { CallContext } from '@sheaf/protos/call'
import type { ResolvedDocument } from '@sheaf/protos/sheaf/directory/v1/access'
import type { CreateDocumentRequest } from '@sheaf/protos/sheaf/directory/v1/documents'
import type {
  ImportDocumentRequest,
  ImportedDocument,
  ImportOptions,
  ImportProgress,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { Exchange } from '../http/exchange'
import type { FormFile } from '../http/multipart'
import { UploadStream } from './upload-stream'

/** The token of a reservation is valid for 30 seconds; after this long another one is requested. */
const OLD_MS = 15_000

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
  const { directory } = exchange.context
  const { workspaceId, title } = upload
  const reserved = await reserveDocument(exchange, { workspaceId, name: title, isPinned: false })
  const { docId } = reserved.document
  try {
    const stop = new AbortController()
    const made = transfer(exchange, upload, reserved, stop.signal)
    const [{ tables, notes }] = await Promise.all([made, whole]).catch((error: unknown) => {
      stop.abort(error)
      throw error
    })
    await directory.documents.publishDocument({ docId }, await reserved.caller())
    return { docId, tables, notes }
  } catch (error) {
    // Also when the outcome of publishing is unknown: a published document is not affected.
    await discard(exchange, reserved)
    throw error
  }
}

/** Runs a function with a document that is reserved for it and discarded afterwards. */
export async function withReservedDocument<T>(
  exchange: Exchange,
  request: CreateDocumentRequest,
  run: (reserved: ReservedDocument) => Promise<T>,
): Promise<T> {
  const reserved = await reserveDocument(exchange, request)
  try {
    return await run(reserved)
  } finally {
    await discard(exchange, reserved)
  }
}

/** A document that is not published yet. */
export interface ReservedDocument {
  readonly document: ResolvedDocument
  /** Caller token for the document. */
  readonly token: string
  /** A call context whose token is still valid. */
  readonly caller: () => Promise<CallContext>
}

async function reserveDocument(
  exchange: Exchange,
  request: CreateDocumentRequest,
): Promise<ReservedDocument> {
  const startedAt = performance.now()
  const { documents } = exchange.context.directory
  const { document, token } = await documents.createDocument(request, exchange.call())
  if (!document) throw new Error('directory returned no document')
  const caller = async () => {
    const isOld = performance.now() - startedAt > OLD_MS
    const fresh = isOld ? (await exchange.authorize('')).token : token
    // Not cancelled when the client disconnects: a started import is completed.
    return { ...exchange.call(fresh), signal: undefined, deadline: undefined }
  }
  return { document, token, caller }
}

/** Never throws: the client receives the error that came first. */
async function discard(
  { context }: Exchange,
  { document: { docId }, caller }: ReservedDocument,
): Promise<void> {
  try {
    await context.directory.documents.discardDocument({ docId }, await caller())
  } catch (error) {
    // Directory tidies it up by itself, later.
    context.log.warn({ err: error, docId }, 'failed to discard a reserved document')
  }
}

/** Streams a file of a form to document-data, which imports it; the gateway never buffers it whole. */
async function transfer(
  exchange: Exchange,
  { file, options, onProgress }: Upload,
  { document: reserved, token }: ReservedDocument,
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
