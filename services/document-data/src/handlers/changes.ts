import { requireSystem } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { roleAtLeast } from '@sheaf/auth/roles'
import type {
  ChangesService,
  GetBacklogRequest,
  GetBacklogResponse,
  ReadChangesRequest,
  ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import { partEvent } from '../changes/events'
import type { Context } from '../context'
import type { ChangesReply } from '../store/documents/change-reads'
import type { ChangesPlan } from '../store/feed/changes-plan'
import { tagOf } from './document-options'
import { readerOf, requireDocument } from './document-call'

const MAX_ENTRIES = 1000
const MAX_WAIT_MS = 25_000
const MAX_TABLES = 1000

/**
 * Handlers of ChangesService. They apply admission control themselves, because calls that only wait must not
 * count.
 */
export const changes = (ctx: Context): ChangesService => ({
  async *readChanges(
    request: ReadChangesRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadChangesResponse> {
    const { docId, afterSeq, waitMs } = request
    const { userId } = call.caller
    requireDocument(ctx, call, docId, 'viewers')
    const plan = planOf(request, roleAtLeast(call.caller.role, 'editors'))
    if (waitMs > 0 && ctx.documents.stateOf(docId).seq <= afterSeq)
      await ctx.documents.shared.watch.wait({ docId, userId }, waitMs, call.signal)
    call.signal.throwIfAborted()
    const { epoch } = ctx.documents.stateOf(docId)
    const leave = ctx.admission.enter({ kind: 'read', userId, docId, bytes: 0 })
    let isShort = false
    try {
      const reading = ctx.documents.readChanges(docId, plan, readerOf(call))
      const reply = reading instanceof Promise ? await reading : reading
      isShort = Array.isArray(reply.parts)
      // A complete result only has to be sent and needs no further work from this process.
      if (isShort) leave()
      yield* responses(reply, request, epoch)
    } finally {
      if (!isShort) leave()
    }
  },

  async getBacklog(_: GetBacklogRequest, call: ServerCall): Promise<GetBacklogResponse> {
    requireSystem(call)
    const freeBytes = await ctx.documents.lifeCycle.freeBytes()
    return {
      documents: ctx.publisher.backlog,
      diskFull: ctx.documents.shared.disk.isFull,
      freeBytes,
    }
  },
})

async function* responses(
  { seq: latestSeq, parts }: ChangesReply,
  { docId, tellState }: ReadChangesRequest,
  epoch: string,
): AsyncGenerator<ReadChangesResponse> {
  if (tellState)
    yield {
      change: undefined,
      continued: false,
      latestSeq,
      etag: tagOf({ epoch, seq: latestSeq, isPending: false }),
      epoch,
    }
  for await (const part of parts)
    yield { change: partEvent(part, docId), continued: part.continued, latestSeq, etag: '' }
}

function planOf(request: ReadChangesRequest, oldValues: boolean): ChangesPlan {
  const { afterSeq, limit, fullRows, tableRefs, waitMs } = request
  if (afterSeq < 0) throw badField('after_seq must not be negative')
  if (limit < 0 || limit > MAX_ENTRIES)
    throw badField(`limit must be an integer from 0 to ${MAX_ENTRIES}`)
  if (waitMs < 0 || waitMs > MAX_WAIT_MS)
    throw badField(`wait_ms must be an integer from 0 to ${MAX_WAIT_MS}`)
  if (tableRefs.length > MAX_TABLES)
    throw badField(`table_refs must not have more than ${MAX_TABLES} items`)
  return { after: afterSeq, limit: limit || MAX_ENTRIES, fullRows, tableRefs, oldValues }
}

const badField = (message: string) => new AppError('invalid', 'BAD_FIELD', message)
