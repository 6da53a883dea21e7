import { AppError } from '@sheaf/kit/errors'
import type { GetDifferenceCountsRequest } from '@sheaf/protos/sheaf/document_data/v1/history'
import { comparedMoment, sendDifferences } from '../comparison/comparison-stream'
import { preferredMediaType } from '../http/content-negotiation'
import type { Exchange } from '../http/exchange'
import { sendJson } from '../http/reply'
import type { DocumentSession } from '../routing/document-session'
import { defineRoute, type Route } from '../routing/route'
import { comparisonQuery, comparisonResult } from '../schemas/comparison'
import { docParams } from '../schemas/parameters'

const LINES = 'application/x-ndjson'

/** Comparison of two moments of a document. */
export const comparisonRoute: Route = defineRoute({
  method: 'get',
  path: '/api/docs/{docId}/compare',
  id: 'compareMoments',
  tag: 'history',
  summary: 'Compare two moments',
  description:
    'Returns what differs between two moments of a document, as operations that lead from one to the other: tables and columns first, then rows by table and row id. Cells of removed columns are left out; the comparison in the other direction has them. As lines, the first one has the moments, each of the others an operation, and there are no pages.',
  access: 'editors',
  params: docParams,
  query: comparisonQuery,
  streams: true,
  success: {
    description: 'Differences, or their numbers',
    schema: comparisonResult,
    otherMediaTypes: [LINES],
  },
  async handle(exchange, { document, query }) {
    const { from, to, tableId = '', limit, cursor = '', summary } = query
    const request = { docId: document.docId, from, to, tableId }
    if (summary && cursor !== '')
      throw new AppError('invalid', 'INVALID_PARAMETER', 'cursor is not available with summary', {
        parameter: 'cursor',
      })
    if (summary) return sendCounts(exchange, document, request)
    const form = preferredMediaType(exchange.request, ['application/json', LINES])
    if (form === LINES)
      return sendDifferences(exchange, document, { ...request, cursor, limit: 0 }, 'lines')
    return sendDifferences(exchange, document, { ...request, cursor, limit }, 'page')
  },
})

async function sendCounts(
  exchange: Exchange,
  document: DocumentSession,
  request: GetDifferenceCountsRequest,
): Promise<void> {
  const { from, to, tables } = await document.read((home, call) =>
    home.history.getDifferenceCounts(request, call),
  )
  if (!from || !to) throw new Error('document-data named no moments')
  sendJson(exchange, { from: comparedMoment(from), to: comparedMoment(to), tables })
}
