import { AppError } from '@sheaf/kit/errors'
import type { RunSqlRequest } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { getReadOptions } from '../documents/conditional-requests'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { sendChunks, type OpenChunks } from '../documents/record-stream'
import { otherMediaTypes, negotiateRowFormat } from '../http/content-negotiation'
import { defineRoute, type Route } from '../routing/route'
import { docParams } from '../schemas/parameters'
import { sqlQuery, sqlResult, sqlStatement } from '../schemas/sql'

const tag = 'sql'
const path = '/api/docs/{docId}/sql'
const success = { description: 'Result rows', schema: sqlResult, otherMediaTypes }
const limits =
  'The server limits time (1 s by default), memory, rows (1,000,000) and size (32 MiB) of a statement. `Accept` selects JSON, NDJSON, CSV or an Arrow stream.'
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** SQL statements of callers. */
export const sqlRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'runSql',
    tag,
    summary: 'Run a SQL query',
    description: `Runs one SELECT statement on the document. ${limits}`,
    access: 'viewers',
    isHot: true,
    conditions: 'read',
    params: docParams,
    query: sqlQuery,
    streams: true,
    namesPending: true,
    success,
    handle(exchange, { document, query: { q } }) {
      if (q === undefined)
        throw new AppError('invalid', 'INVALID_PARAMETER', 'q parameter is required', {
          parameter: 'q',
        })
      return run(exchange, document, { sql: q, argsJson: Buffer.alloc(0), timeoutMs: 0 })
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'runSqlWithArgs',
    tag,
    summary: 'Run a SQL query with arguments',
    description: `Runs one SELECT statement with values for its parameters. ${limits}`,
    access: 'viewers',
    isHot: true,
    conditions: 'read',
    params: docParams,
    body: sqlStatement,
    streams: true,
    namesPending: true,
    success,
    handle(exchange, { document, body: { sql, args, timeout = 0 } }) {
      const argsJson = Buffer.from(args ? JSON.stringify(args) : '')
      // 0 selects the limit of the server.
      const timeoutMs = Math.min(MAX_TIMEOUT_MS, Math.max(0, Math.ceil(timeout)))
      return run(exchange, document, { sql, argsJson, timeoutMs })
    },
  }),
]

function run(
  exchange: Exchange,
  document: DocumentSession,
  statement: Pick<RunSqlRequest, 'sql' | 'argsJson' | 'timeoutMs'>,
): Promise<void> {
  const form = negotiateRowFormat(exchange.request)
  const request: RunSqlRequest = {
    docId: document.docId,
    ...statement,
    format: form.format,
    options: getReadOptions(exchange, form),
  }
  const open: OpenChunks = (home, call) => home.sql.runSql(request, call)
  return sendChunks(exchange, document, open, { form })
}
