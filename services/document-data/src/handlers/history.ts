import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  RestoreMomentResponse,
  RevertChangeResponse,
  type GetOriginsRequest,
  type GetOriginsResponse,
  type HistoryService,
  type ListHistoryRequest,
  type ListHistoryResponse,
  type ListKeyChangesRequest,
  type RestoreMomentRequest,
  type RevertChangeRequest,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import { createEvent } from '../changes/events'
import type { Context } from '../context'
import { findFirstAt, findMoment } from '../moments/find-moment'
import { planHistory, readHistory, type HistoryPage } from '../store/feed/history'
import { historyTable } from '../store/feed/history-table'
import { readKeyChanges, type KeyChanges } from '../store/feed/key-changes'
import { readOrigins, type Origin } from '../store/log/origins'
import { restoreMoment } from '../store/past/restore-moment'
import { revertChange } from '../store/revert/revert'
import { comparison } from './comparison'
import { readerOf, requireDocument } from './document-call'
import { runWrite } from './document-options'

const MAX_ENTRIES = 100

/** Handlers of HistoryService: list and revert changes, compare moments, find the origins of a document. */
export const history = (ctx: Context): HistoryService => ({
  ...comparison(ctx),

  async listHistory(request: ListHistoryRequest, call: ServerCall): Promise<ListHistoryResponse> {
    const { docId } = request
    requireDocument(ctx, call, docId, 'editors')
    requireListable(request)
    const { entries, next } = await findPage(ctx, request, call)
    const options = { docId, oldValues: true, removedCells: true }
    return { changes: entries.map((entry) => createEvent(entry, options)), nextBeforeSeq: next }
  },

  listKeyChanges(request: ListKeyChangesRequest, call: ServerCall) {
    const { docId, keyId, beforeSeq, beforeTimeMs, limit } = request
    requireDocument(ctx, call, docId, 'editors')
    requireListable({ ...request, tableId: '', rowId: 0 })
    if (keyId < 1) throw new AppError('invalid', 'BAD_FIELD', 'key_id must be at least 1')
    const { changes, hasMore } = ctx.documents.read<KeyChanges>(docId, (doc) => {
      const earlier = beforeTimeMs > 0 ? findFirstAt(doc, beforeTimeMs) : 0
      const query = { keyId, before: beforeSeq || earlier, limit: limit || MAX_ENTRIES }
      return readKeyChanges(doc.connection, query)
    })
    const wire = changes.map(({ time, tables, ...change }) => ({
      ...change,
      timeMs: time,
      tables: [...tables],
    }))
    return Promise.resolve({ changes: wire, hasMore })
  },

  async revertChange(
    request: RevertChangeRequest,
    call: ServerCall,
  ): Promise<RevertChangeResponse> {
    const { docId, seq } = request
    requireDocument(ctx, call, docId, 'editors')
    if (seq < 1) throw new AppError('invalid', 'BAD_FIELD', 'seq must be at least 1')
    return runWrite(ctx, call, request, {
      response: RevertChangeResponse,
      cause: 'undo',
      run: (doc) => {
        revertChange(doc, seq)
        return {}
      },
    })
  },

  async restoreMoment(
    request: RestoreMomentRequest,
    call: ServerCall,
  ): Promise<RestoreMomentResponse> {
    const { docId, moment, tableId } = request
    requireDocument(ctx, call, docId, 'editors')
    if (!moment) throw new AppError('invalid', 'BAD_FIELD', 'moment must have a seq or a time')
    return runWrite(ctx, call, request, {
      response: RestoreMomentResponse,
      cause: 'undo',
      run: (doc) => {
        const tableRef = tableId === '' ? undefined : historyTable(doc, tableId)
        restoreMoment(doc, { seq: findMoment(doc, moment), tableRef })
        return {}
      },
    })
  },

  async getOrigins({ docId }: GetOriginsRequest, call: ServerCall): Promise<GetOriginsResponse> {
    requireDocument(ctx, call, docId, 'viewers')
    const origins = ctx.documents.read<Origin[]>(docId, ({ connection }) => readOrigins(connection))
    const { epoch, seq } = ctx.documents.stateOf(docId)
    return { epoch, seq, origins }
  },
})

function requireListable({
  tableId,
  rowId,
  keyId,
  beforeSeq,
  limit,
}: Omit<ListHistoryRequest, 'docId'>): void {
  const bad = (message: string) => new AppError('invalid', 'BAD_FIELD', message)
  if (beforeSeq < 0) throw bad('before_seq must not be negative')
  if (limit < 0 || limit > MAX_ENTRIES)
    throw bad(`limit must be an integer from 0 to ${MAX_ENTRIES}`)
  if (rowId < 0) throw bad('row_id must not be negative')
  if (keyId < 0) throw bad('key_id must not be negative')
  if (rowId > 0 && tableId === '') throw bad('row_id requires table_id')
}

/** Searches a small part of the log on the event loop; longer searches run in a thread. */
async function findPage(
  ctx: Context,
  { docId, tableId, ...request }: ListHistoryRequest,
  call: ServerCall,
): Promise<HistoryPage> {
  const found = ctx.documents.read<{ page: HistoryPage; tableRef?: number }>(docId, (doc) => {
    const tableRef = tableId === '' ? undefined : historyTable(doc, tableId)
    const query = queryOf({ tableRef, ...request })
    return { page: readHistory(doc.connection, query), tableRef }
  })
  const { page, tableRef } = found
  const hasGaps =
    request.rowId > 0 && page.entries.some(({ operations }) => operations === undefined)
  const isFiltered = tableRef !== undefined || request.keyId > 0
  if (!isFiltered || (page.isWhole && !hasGaps)) return page
  const plan = planHistory(queryOf({ tableRef, ...request }))
  const { chunks } = await ctx.documents.readExport(docId, () => plan, readerOf(call))
  const parts: Buffer[] = []
  for await (const part of chunks) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as HistoryPage
}

function queryOf({
  tableRef,
  rowId,
  keyId,
  beforeSeq,
  limit,
}: Pick<ListHistoryRequest, 'rowId' | 'keyId' | 'beforeSeq' | 'limit'> & {
  tableRef: number | undefined
}) {
  return {
    tableRef,
    rowId: rowId === 0 ? undefined : rowId,
    keyId: keyId === 0 ? undefined : keyId,
    before: beforeSeq,
    limit: limit || MAX_ENTRIES,
  }
}
