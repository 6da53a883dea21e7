import { requireSystem } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  BackupService,
  ReadCopyRequest,
  ReadCopyResponse,
  ReadDocumentRequest,
  ReadDocumentResponse,
  RestoreDocumentRequest,
  RestoreDocumentResponse,
  VerifySnapshotRequest,
  VerifySnapshotResponse,
} from '@sheaf/protos/sheaf/document_data/v1/backup'
import type { Context } from '../context'
import { readFilePosition } from '../replication/file-position'
import { writeRestored } from '../store/documents/restored-file'
import { isKnown } from './known-documents'

const NOTHING = Buffer.alloc(0)

/** Handlers of BackupService. */
export const backup = (ctx: Context): BackupService => ({
  async *readDocument(
    { docId }: ReadDocumentRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadDocumentResponse> {
    requireSystem(call)
    yield* ctx.documents.snapshots.read(
      docId,
      { history: true, data: true, whole: true },
      async function* ({ seq, size, bytes }): AsyncGenerator<ReadDocumentResponse> {
        yield { chunk: NOTHING, seq, size }
        for await (const chunk of bytes) yield { chunk }
      },
      { userId: call.caller.userId, signal: call.signal },
    )
  },

  async *readCopy({ docId }: ReadCopyRequest, call: ServerCall): AsyncGenerator<ReadCopyResponse> {
    requireSystem(call)
    const { documents } = ctx
    if (!documents.isReplicated)
      throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'documents are not replicated')
    const position = readFilePosition(documents.snapshots.pathOf(docId))
    yield { chunk: NOTHING, ...position }
    yield* documents.snapshots.readHere(
      docId,
      async function* ({ bytes }): AsyncGenerator<ReadCopyResponse> {
        for await (const chunk of bytes) yield { chunk }
      },
      { userId: call.caller.userId, signal: call.signal },
    )
  },

  async verifySnapshot(
    { docId }: VerifySnapshotRequest,
    call: ServerCall,
  ): Promise<VerifySnapshotResponse> {
    requireSystem(call)
    const { replicator } = ctx.documents.shared
    const fault = await replicator?.findSnapshotFault(docId)
    return { replicated: replicator !== undefined, fault: fault ?? '' }
  },

  async restoreDocument(
    parts: AsyncIterable<RestoreDocumentRequest>,
    call: ServerCall,
  ): Promise<RestoreDocumentResponse> {
    requireSystem(call)
    const incoming = parts[Symbol.asyncIterator]()
    const first = await incoming.next()
    const part = first.done ? undefined : first.value.part
    if (part?.$case !== 'docId') throw badPart('the first message must be the document')
    const docId = part.value
    // Otherwise its file is left over from another restore.
    if (await isKnown(ctx, docId))
      throw new AppError('conflict', 'DOCUMENT_EXISTS', 'the document already exists')
    await ctx.documents.lifeCycle.discard(docId)
    let seq = 0
    await ctx.documents.lifeCycle.createFrom(docId, async (path) => {
      seq = await writeRestored(path, readChunks(incoming), ctx.documents.lifeCycle.newFormat)
      return undefined
    })
    return { seq }
  },
})

const badPart = (message: string) =>
  new AppError('invalid', 'BAD_FIELD', message, { field: 'part' })

async function* readChunks(
  incoming: AsyncIterator<RestoreDocumentRequest>,
): AsyncGenerator<Uint8Array> {
  for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
    const { part } = next.value
    if (part?.$case !== 'chunk') throw badPart('every message after the first must be a chunk')
    yield part.value
  }
}
