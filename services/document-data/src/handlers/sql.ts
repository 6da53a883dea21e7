import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  RunSqlRequest,
  RunSqlResponse,
  SqlService,
} from '@sheaf/protos/sheaf/document_data/v1/sql'
import { readSqlArgs } from '../bodies/sql-args'
import type { Context } from '../context'
import type { SqlMoment } from '../sql/sql-messages'
import type { SqlStatement } from '../sql/sql-pool'
import { withSuggestion } from '../sql/suggestion'
import { mentionsSelect } from '../sql/statement'
import { requireDocument } from './document-call'
import { isKnown, tagOf } from './document-options'
import { readFormat } from './record-format'

/** Maximum size of a statement and its arguments, which are held in memory while the statement is queued. */
const MAX_STATEMENT_BYTES = 1024 * 1024
const NOTHING = Buffer.alloc(0)

/** Handlers of SqlService: read-only SQL from callers. */
export const sql = (ctx: Context): SqlService => ({
  async *runSql(request: RunSqlRequest, call: ServerCall): AsyncGenerator<RunSqlResponse> {
    const { docId, options } = request
    requireDocument(ctx, call, docId, 'viewers')
    const current = ctx.documents.stateOf(docId)
    if (options && isKnown(options, current)) {
      yield { chunk: NOTHING, seq: current.seq, etag: tagOf(current), notModified: true }
      return
    }
    const statement = readStatement(request, call.caller.userId)
    const found = ctx.documents.readFile(docId, (doc) => ctx.lookups.run(doc, statement))
    if (found) {
      yield { chunk: found.bytes, ...toState(found.moment) }
      return
    }
    using result = await ctx.sql
      .run(statement, (run) => ctx.documents.readOutside(docId, run), call.signal)
      .catch((error: unknown) => {
        throw withSuggestion(error, () => ctx.documents.read(docId, ({ schema }) => schema))
      })
    // Only the first message carries the log position of the snapshot; it is sent even if there are no bytes.
    const state = toState(result.moment)
    let isFirst = true
    for (const chunk of result.chunks()) {
      yield { chunk, ...(isFirst ? state : { seq: 0 }) }
      isFirst = false
    }
    if (isFirst) yield { chunk: NOTHING, ...state }
  },
})

function toState(moment: SqlMoment): Omit<RunSqlResponse, 'chunk'> {
  const { seq, pendingColumns } = moment
  const isPending = pendingColumns !== undefined
  return { seq, etag: tagOf({ ...moment, isPending }), pendingColumns }
}

function readStatement(
  { docId, sql, argsJson, timeoutMs, format }: RunSqlRequest,
  userId: number,
): SqlStatement {
  if (Buffer.byteLength(sql) + argsJson.length > MAX_STATEMENT_BYTES)
    throw new AppError(
      'invalid',
      'BAD_FIELD',
      'sql and args together must not be larger than 1 MiB',
    )
  if (!mentionsSelect(sql))
    throw new AppError('invalid', 'INVALID_SQL', 'only select statements are supported')
  return { userId, docId, sql, args: readSqlArgs(argsJson), timeoutMs, format: readFormat(format) }
}
