import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  GetDifferenceCountsRequest,
  GetDifferenceCountsResponse,
  HistoryService,
  ListDifferencesRequest,
  ListDifferencesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import { partEvent } from '../changes/events'
import type { Context } from '../context'
import { seqMoment } from '../moments/find-moment'
import type { RowPosition } from '../store/compare/compare-plan'
import type { TableCounts } from '../store/compare/difference-counts'
import { unpackPart, type ChangePart } from '../store/feed/change-parts'
import { openComparison, type ComparisonRequest } from './compared-moments'
import { requireDocument } from './document-call'

/** Most rows of a page. */
const MAX_ROWS = 10_000

/** Handlers of HistoryService: comparison of two moments. */
export const comparison = (
  ctx: Context,
): Pick<HistoryService, 'listDifferences' | 'getDifferenceCounts'> => ({
  async *listDifferences(
    request: ListDifferencesRequest,
    call: ServerCall,
  ): AsyncGenerator<ListDifferencesResponse> {
    const { docId, limit } = request
    requireDocument(ctx, call, docId, 'editors')
    if (limit < 0 || limit > MAX_ROWS)
      throw new AppError('invalid', 'BAD_FIELD', `limit must be an integer from 0 to ${MAX_ROWS}`)
    const { position, ...moments } = readPage(ctx, request)
    using compared = await openComparison(ctx, call, {
      ...moments,
      answer: 'list',
      position,
      maxRows: limit === 0 ? undefined : limit,
    })
    const { from, to } = compared
    yield { from, to, operations: [] }
    let last: RowPosition | undefined
    let hasMore = false
    for await (const bytes of compared.chunks) {
      const part = unpackPart(bytes)
      hasMore = part.continued
      last = lastRow(part) ?? last
      const { operations } = partEvent(part, docId)
      if (operations.length > 0) yield { from: undefined, to: undefined, operations }
    }
    if (!hasMore || !last) return
    const end = [from.seq, to.seq, last.tableRef, last.rowId]
    const nextCursor = ctx.cursors.make(end, scopeOf(ctx, request))
    yield { from: undefined, to: undefined, operations: [], nextCursor }
  },

  async getDifferenceCounts(
    request: GetDifferenceCountsRequest,
    call: ServerCall,
  ): Promise<GetDifferenceCountsResponse> {
    requireDocument(ctx, call, request.docId, 'editors')
    const all = { answer: 'count', position: undefined, maxRows: undefined } as const
    using compared = await openComparison(ctx, call, { ...request, ...all })
    const parts: Buffer[] = []
    for await (const part of compared.chunks) parts.push(part)
    const text = Buffer.concat(parts).toString() || '[]'
    const { from, to } = compared
    return { from, to, tables: JSON.parse(text) as TableCounts[] }
  },
})

/** The moments of a page, and where it begins; both from its cursor, if it has one. */
function readPage(
  ctx: Context,
  request: ListDifferencesRequest,
): ComparisonRequest & { readonly position: RowPosition | undefined } {
  const { docId, tableId, from, to, cursor } = request
  if (cursor === '') return { docId, tableId, from, to, position: undefined }
  const place = ctx.cursors.read(cursor, scopeOf(ctx, request))
  const [fromSeq = 0, toSeq = 0, tableRef = 0, rowId = 0] =
    'position' in place ? place.position.map(Number) : []
  return {
    docId,
    tableId,
    from: seqMoment(fromSeq),
    to: seqMoment(toSeq),
    position: { tableRef, rowId },
  }
}

/** What a cursor is valid for: positions of another epoch are those of another log. */
function scopeOf(ctx: Context, { docId, tableId }: ListDifferencesRequest): string {
  return JSON.stringify(['differences', docId, ctx.documents.stateOf(docId).epoch, tableId])
}

/** The last row of a part: rows ascend from part to part, but not within one. */
function lastRow({ operations }: ChangePart): RowPosition | undefined {
  let last: RowPosition | undefined
  for (const operation of operations) {
    if (!('rowIds' in operation)) continue
    const { tableRef, rowIds } = operation
    const rowId = Math.max(last?.rowId ?? -Infinity, rowIds.at(-1) ?? -Infinity)
    last = { tableRef, rowId }
  }
  return last
}
