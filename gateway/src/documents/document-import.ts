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

/** The token of a reservation is good for 30 seconds; after this long another one is asked for. */
const OLD_MS = 15_000

/** A file, and what is to become of it. */
export interface Upload {
  readonly file: FormFile
  readonly workspaceId: number
  /** Of the document. */
  readonly title: string
  readonly onProgress: (progress: ImportProgress) => Promise<void> | void
}

/** A document that was made of a file. */
export interface MadeDocument {
  readonly docId: string
  readonly tables: ImportedDocument['tables']
}

/**
 * Makes a document of a file while it arrives: directory reserves one, its home makes the file, and then all see it. `whole`
 * rejects when the form turns out to be none after all. When anything fails, nothing is left of the document.
 */
export async function makeDocument(
  exchange: Exchange,
  upload: Upload,
  whole: Promise<unknown>,
): Promise<MadeDocument> {
  const { directory } = exchange.context
  const startedAt = performance.now()
  const { workspaceId, title } = upload
  const request = { workspaceId, name: title, isPinned: false }
  const reserved = await directory.documents.createDocument(request, exchange.call())
  const docId = reserved.document?.docId ?? ''
  const caller = async () => {
    const isOld = performance.now() - startedAt > OLD_MS
    const token = isOld ? (await exchange.authorize('')).token : reserved.token
    // What was begun is brought to its end, also when the client goes away.
    return { ...exchange.call(token), signal: undefined, deadline: undefined }
  }
  try {
    const stop = new AbortController()
    const made = transfer(exchange, upload, reserved, stop.signal)
    const [{ tables }] = await Promise.all([made, whole]).catch((error: unknown) => {
      stop.abort(error)
      throw error
    })
    await directory.documents.publishDocument({ docId }, await caller())
    return { docId, tables }
  } catch (error) {
    // Also when nobody knows how publishing ended: a document that is published is not discarded by this.
    await discard(exchange, docId, caller)
    throw error
  }
}

/** Never throws: what has failed before is what the client is told. */
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

/** Has the file of a form made into that of a document; its bytes are never held here. */
async function transfer(
  exchange: Exchange,
  { file, onProgress }: Upload,
  { document: reserved, token }: CreateDocumentResponse,
  stop: AbortSignal,
): Promise<ImportedDocument> {
  if (!reserved) throw new Error('directory returned no document')
  const { imports } = exchange.context.homes.at(reserved.homeAddress)
  const call = exchange.call(token)
  const signal = AbortSignal.any([exchange.signal, stop])
  const sender = new Sender(reserved.docId, file)
  try {
    for await (const { part } of imports.importDocument(sender.parts(), { ...call, signal })) {
      if (part?.$case === 'done') return part.value
      if (part) await onProgress(part.value)
    }
  } catch (error) {
    // What the call is told when its bytes break off says less.
    throw sender.failure ?? error
  }
  throw new Error('document-data returned no result of an import')
}

/** The messages of an upload; remembers what broke it off. */
class Sender {
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
