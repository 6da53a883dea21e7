import { CellFormat, RecordsForm } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { RunSqlResponse } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { z } from 'zod'
import { readSearch } from '../documents/records-search'
import { DocumentSession } from '../routing/document-session'
import { recordsSelection } from '../schemas/records'
import { sqlStatement } from '../schemas/sql'
import { tableParams } from '../schemas/parameters'
import { ANSWER_BYTES, answerTooLarge, cursorAt, readPosition } from './answer-budget'
import { readLines, type Lines } from './row-lines'
import { defineTool, docId, type Tool } from './tool'

const DEFAULT_ROWS = 100
const MAX_ROWS = 1_000

const limit = z
  .int()
  .min(1)
  .max(MAX_ROWS)
  .optional()
  .describe(`Rows to return, ${DEFAULT_ROWS} by default; an answer has at most 32 KiB of them`)

/** Runs a SELECT. */
const query: Tool = defineTool({
  name: 'query',
  title: 'Query with SQL',
  description:
    'Runs one read-only SELECT of SQLite on the tables of a document, with values in their stored form: dates as seconds, references as row ids. Prefer it to read_rows for joins, groups and sums. Continue with nextCursor, which counts rows: the statement runs again, so it should have an ORDER BY.',
  schema: z.strictObject({
    docId,
    sql: sqlStatement.shape.sql,
    args: sqlStatement.shape.args,
    limit,
    cursor: z.string().optional().describe('`nextCursor` of the previous answer'),
  }),
  async run({ exchange }, { docId: name, sql, args, limit: rows = DEFAULT_ROWS, cursor }) {
    const skip = readPosition(cursor)
    const document = await DocumentSession.open(exchange, name, 'viewers')
    const request = {
      docId: document.docId,
      sql,
      argsJson: Buffer.from(args ? JSON.stringify(args) : ''),
      timeoutMs: 0,
      format: ResultFormat.NDJSON,
    }
    const { found, first } = await document.read(async (home, call) => {
      const stream = new FirstOf<RunSqlResponse>(home.sql.runSql(request, call))
      const found = await readLines(stream, { skip, rows, bytes: ANSWER_BYTES })
      return { found, first: stream.first }
    })
    requireRow(found, 'a row of the result', 'select fewer columns, or parts of texts by substr')
    const next = found.hasMore ? skip + found.lines.length : undefined
    return rowsJson(found, { seq: first?.seq, pending: first?.pendingColumns }, cursorAt(next))
  },
})

/** The parts of a selection that `read_rows` takes. */
const shownParts = {
  filter: true,
  search: true,
  searchFields: true,
  searchLocale: true,
  sort: true,
  fields: true,
  cursor: true,
} as const

/** Reads rows of a table. */
const readRows: Tool = defineTool({
  name: 'read_rows',
  title: 'Read rows of a table',
  description:
    'Returns rows of one table as {"id", "fields"}, filtered, searched, sorted and in pages. Continue with nextCursor and the same filter, search and sort: pages never repeat a row.',
  schema: z.strictObject({
    docId,
    tableId: tableParams.shape.tableId,
    ...recordsSelection.pick(shownParts).shape,
    limit,
  }),
  async run(
    { exchange },
    { docId: name, tableId, filter, sort = [], fields, cursor = '', ...rest },
  ) {
    const document = await DocumentSession.open(exchange, name, 'viewers')
    const view = { fields: fields ?? [], onlyFields: fields !== undefined, count: false, offset: 0 }
    const request = {
      docId: document.docId,
      tableId,
      filterJson: Buffer.from(filter ? JSON.stringify(filter) : ''),
      search: readSearch(exchange, rest),
      sort,
      hidden: false,
      cellFormat: CellFormat.UNSPECIFIED,
      form: RecordsForm.UNSPECIFIED,
      format: ResultFormat.NDJSON,
      view: { ...view, cursor },
    }
    const read = (rows: number) =>
      document.read(async (home, call) => {
        const stream = new FirstOf(home.records.readRecords({ ...request, limit: rows }, call))
        const found = await readLines(stream, { skip: 0, rows, bytes: ANSWER_BYTES })
        return { found, first: stream.first }
      })
    let page = await read(rest.limit ?? DEFAULT_ROWS)
    // The cursor of a page is that after its last row: what did not fit is cut off by a smaller page.
    while (page.found.isFull) {
      requireRow(page.found, 'a row', 'read fewer columns by fields, or parts of texts by query')
      page = await read(page.found.lines.length)
    }
    const { found, first } = page
    return rowsJson(found, { seq: first?.seq, pending: undefined }, first?.nextCursor ?? null)
  },
})

/** Passes a stream on, and keeps its first message. */
class FirstOf<T> {
  first?: T

  constructor(private readonly source: AsyncIterable<T>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const message of this.source) {
      this.first ??= message
      yield message
    }
  }
}

function requireRow({ lines, isFull }: Lines, item: string, hint: string): void {
  if (isFull && lines.length === 0) throw answerTooLarge(item, hint)
}

/** The lines are JSON already. */
function rowsJson(
  { lines }: Lines,
  { seq, pending }: { seq: number | undefined; pending: string | undefined },
  nextCursor: string | null,
): string {
  const tail = JSON.stringify({
    ...(pending !== undefined && { pendingColumns: pending.split(', ') }),
    nextCursor,
  })
  return `{"seq":${seq ?? 0},"rows":[${lines.join(',')}],${tail.slice(1)}`
}

/** Tools that read rows. */
export const rowTools: readonly Tool[] = [query, readRows]
