import { compareDocuments } from '../comparison/document-comparison'
import { sendJson } from '../http/reply'
import { DocumentSession } from '../routing/document-session'
import { defineRoute, type Route } from '../routing/route'
import {
  comparedDocuments,
  documentsComparison,
  documentsComparisonQuery,
} from '../schemas/documents-comparison'

/** Comparison of two documents that share history. */
export const documentsComparisonRoute: Route = defineRoute({
  method: 'get',
  path: '/api/docs/{docId}/compare/{docId2}',
  id: 'compareDocuments',
  tag: 'history',
  summary: 'Compare two documents',
  description:
    'Returns which of two documents has changed since the latest state that both had: one is a copy of the other, or both are copies of a third document. With `detail=true` it also returns what has changed in each of them since then, which requires edit access to both. Changes of metadata other than names are left out; the comparison of two moments has them.',
  access: 'viewers',
  params: comparedDocuments,
  query: documentsComparisonQuery,
  success: { description: 'What has changed since then', schema: documentsComparison },
  statuses: { 413: 'The documents differ too much for one answer' },
  async handle(exchange, { document, params, query }) {
    const { detail, maxRows } = query
    const need = detail ? 'editors' : 'viewers'
    const other = await DocumentSession.open(exchange, params.docId2, need)
    sendJson(exchange, await compareDocuments(document, other, detail ? maxRows : undefined))
  },
})
