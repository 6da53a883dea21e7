import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/kit/grpc-server'
import { roleAtLeast } from '@sheaf/kit/roles'
import type {
  ChangesService,
  ReadChangesRequest,
  ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import { createEvent } from '../changes/events'
import type { Context } from '../context'
import { measureRun, readEntries, readOldestSeq, type LogEntry } from '../store/log'
import { requireDocument } from './document-call'

const MAX_ENTRIES = 1000
/** Read from the log at a time, so that many large entries do not fill the memory. */
const STEP = { count: 200, bytes: 4 * 1024 * 1024, maxBytes: Number.MAX_SAFE_INTEGER }

/** The log of documents. */
export const changes = (ctx: Context): ChangesService => ({
  async *readChanges(
    { docId, afterSeq, limit, fullRows }: ReadChangesRequest,
    call: ServerCall,
  ): AsyncGenerator<ReadChangesResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    const oldValues = roleAtLeast(call.caller.role, 'editors')
    requireReadable({ afterSeq, limit, fullRows })
    let after = afterSeq
    let left = limit || MAX_ENTRIES
    while (left > 0) {
      const entries = readStep(ctx, docId, { after, count: Math.min(left, STEP.count) })
      if (entries.length === 0) return
      for (const entry of entries) {
        call.signal.throwIfAborted()
        yield { change: createEvent(entry, { docId, oldValues }) }
        after = entry.seq
      }
      left -= entries.length
    }
  },
})

function requireReadable(request: Omit<ReadChangesRequest, 'docId'>): void {
  const { afterSeq, limit, fullRows } = request
  if (afterSeq < 0) throw new AppError('invalid', 'BAD_FIELD', 'after_seq must not be negative')
  if (limit < 0 || limit > MAX_ENTRIES)
    throw new AppError('invalid', 'BAD_FIELD', `limit must be from 0 to ${MAX_ENTRIES}`)
  if (fullRows) throw new AppError('invalid', 'BAD_FIELD', 'full_rows is not offered')
}

function readStep(
  ctx: Context,
  docId: string,
  { after, count }: { after: number; count: number },
): LogEntry[] {
  return ctx.documents.read(docId, ({ connection }) => {
    if (after < readOldestSeq(connection) - 1)
      throw new AppError('precondition', 'CHANGES_CUT', 'the log does not reach back so far')
    const upTo = measureRun(connection, after, { ...STEP, count })
    return readEntries(connection, { after, upTo, maxBytes: STEP.maxBytes })
  })
}
