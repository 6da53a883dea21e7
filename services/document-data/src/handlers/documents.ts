import { requireSystem } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  CreateDocumentRequest,
  CreateDocumentResponse,
  CreateFromDeletedRequest,
  CreateFromDeletedResponse,
  CreateFromSnapshotRequest,
  CreateFromSnapshotResponse,
  DeleteDocumentRequest,
  DeleteDocumentResponse,
  DocumentsService,
} from '@sheaf/protos/sheaf/document_data/v1/documents'
import type { Context } from '../context'
import { writeUndeleted } from '../moments/undeleted-file'
import { notKept } from '../store/documents/kept-documents'
import { isTimeZone } from '../values/dates/time-zone'
import { authorOf, requireDocument, requireHome } from './document-call'
import { isKnown } from './known-documents'

/** Handlers of DocumentsService: create and delete the files of documents. */
export const documents = (ctx: Context): DocumentsService => ({
  async createDocument(
    { docId, timezone, locale }: CreateDocumentRequest,
    call: ServerCall,
  ): Promise<CreateDocumentResponse> {
    requireDocument(ctx, call, docId, 'owners')
    const settings = { timezone: timezone || 'UTC', locale: locale || 'en-US' }
    if (!isTimeZone(settings.timezone))
      throw new AppError('invalid', 'BAD_TIMEZONE', 'timezone must be an IANA time zone')
    if (!isLocale(settings.locale))
      throw new AppError('invalid', 'BAD_LOCALE', 'locale must be a BCP 47 language tag')
    return ctx.documents.lifeCycle.create(docId, settings, authorOf(call))
  },

  async deleteDocument(
    { docId, keeps }: DeleteDocumentRequest,
    call: ServerCall,
  ): Promise<DeleteDocumentResponse> {
    requireSystem(call)
    // A system token covers all documents, unless it names one, which must then be placed on this instance.
    if (call.caller.docId !== undefined) requireHome(ctx, call.caller.home)
    await remove(ctx, docId, keeps)
    return {}
  },

  async createFromDeleted(
    { docId, deletedDocId, asOf }: CreateFromDeletedRequest,
    call: ServerCall,
  ): Promise<CreateFromDeletedResponse> {
    requireSystem(call)
    if (await isKnown(ctx, deletedDocId)) throw notKept()
    // Directory may have deleted it so lately that it has not told this service yet.
    await remove(ctx, deletedDocId, true)
    let seq = 0
    await ctx.documents.lifeCycle.createFrom(docId, async (path) => {
      seq = await writeUndeleted(ctx.documents, path, { docId: deletedDocId, asOf })
      return undefined
    })
    return { seq }
  },

  async createFromSnapshot(
    parts: AsyncIterable<CreateFromSnapshotRequest>,
    call: ServerCall,
  ): Promise<CreateFromSnapshotResponse> {
    requireSystem(call)
    const incoming = parts[Symbol.asyncIterator]()
    const first = await incoming.next()
    const part = first.done ? undefined : first.value.part
    if (part?.$case !== 'head') throw badPart('the first message must be the head')
    const { docId, userId } = part.value
    const author = { ...authorOf(call), userId, cause: 'import' as const }
    return ctx.documents.lifeCycle.createFromSnapshot(docId, readChunks(incoming), author)
  },
})

async function remove({ documents, past }: Context, docId: string, keeps: boolean): Promise<void> {
  await documents.lifeCycle.remove(docId, keeps)
  past.forget(docId)
}

const badPart = (message: string) =>
  new AppError('invalid', 'BAD_FIELD', message, { field: 'part' })

async function* readChunks(
  incoming: AsyncIterator<CreateFromSnapshotRequest>,
): AsyncGenerator<Uint8Array> {
  for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
    const { part } = next.value
    if (part?.$case !== 'chunk') throw badPart('every message after the first must be a chunk')
    yield part.value
  }
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
