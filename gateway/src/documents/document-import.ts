import { toAppError } from '@sheaf/kit/errors'
import type { CallContext } from '@sheaf/protos/call'
import type { CreateDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import type {
  ImportDocumentRequest,
  ImportedDocument,
  ImportProgress,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import type { Exchange } from '../http/exchange'
import type { FormFile } from '../http/multipart'

/** The token of a reservation is valid for 30 seconds; after this long another one is requested. */
const OLD_MS = 15_000

/** An uploaded file, and the document to create from it. */
export interface Upload {
  readonly file: FormFile
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
  const startedAt = performance.now()
  const { workspaceId, title } = upload
  const request = { workspaceId, name: title, isPinned: false }
  const reserved = await directory.documents.createDocument(request, exchange.call())
  const docId = reserved.document?.docId ?? ''
  const caller = async () => {
    const isOld = performance.now() - startedAt > OLD_MS
    const token = isOld ? (await exchange.authorize('')).token : reserved.token
    // Not cancelled when the client disconnects: a started import is completed.
    return { ...exchange.call(token), signal: undefined, deadline: undefined }
  }
  try {
    const stop = new AbortController()
    const made = transfer(exchange, upload, reserved, stop.signal)
    const [{ tables, notes }] = await Promise.all([made, whole]).catch((error: unknown) => {
      stop.abort(error)
      throw error
    })
    await directory.documents.publishDocument({ docId }, await caller())
    return { docId, tables, notes }
  } catch (error) {
    // Also when the outcome of publishing is unknown: a published document is not affected.
    await discard(exchange, docId, caller)
    throw error
  }
}

/** Never throws: the client receives the error that came first. */
async function discard(
  { context }: Exchange,
  docId: string,
  caller: () => Promise<CallContext>,
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
  { file, onProgress }: Upload,
  { document: reserved, token }: CreateDocumentResponse,
  stop: AbortSignal,
): Promise<ImportedDocument> {
  if (!reserved) throw new Error('directory returned no document')
  const { imports } = exchange.context.documentData.at(reserved.homeAddress)
  const call = exchange.call(token)
  const signal = AbortSignal.any([exchange.signal, stop])
  const sender = new UploadStream(reserved.docId, file)
  try {
    for await (const { part } of imports.importDocument(sender.parts(), { ...call, signal })) {
      if (part?.$case === 'done') return part.value
      if (part) await onProgress(part.value)
    }
  } catch (error) {
    // The error of the call says less than the reason why its upload failed.
    throw sender.failure ?? error
  }
  throw new Error('document-data returned no result of an import')
}

/** The messages of an upload; records why it failed. */
class UploadStream {
  failure: Error | undefined

  constructor(
    private readonly docId: string,
    private readonly file: FormFile,
  ) {}

  async *parts(): AsyncGenerator<ImportDocumentRequest> {
    const { docId, file } = this
    yield { part: { $case: 'head', value: { docId, fileName: file.fileName } } }
    try {
      for await (const value of file.bytes) yield { part: { $case: 'chunk', value } }
    } catch (error) {
      this.failure = toAppError(error) ?? (error as Error)
      throw error
    }
  }
}
