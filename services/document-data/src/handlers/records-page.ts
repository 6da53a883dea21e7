import { AppError } from '@sheaf/kit/errors'
import type { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { requireSamePosition, type Cursors, type Position } from '../query/cursor'
import { quoteId } from '../quoting/quote'
import type { PageQuery, ReadQuery } from '../query/read-query'
import type { Connection } from '../store/sqlite/connections'
import { findPosition, takeFacts, type ReadFacts } from '../store/reads/read-extras'
import type { RecordsReply } from '../store/documents/record-reads'
import type { Table } from '../store/schema/schema'
import { readFormat } from './record-format'

/** Larger pages tell their cursor at the end of the answer only, where that has a place for it. */
const MAX_TOLD_FIRST = 10_000
const NOTHING = Buffer.alloc(0)

/** A page of records, between the cursor that asks for it and that of the next one. */
export class RecordsPage {
  /** What was asked, which both cursors are bound to. */
  private scope = ''

  /**
   * Throws AppError `invalid` when there is no limit.
   * @param epoch of the document
   */
  constructor(
    private readonly cursors: Cursors,
    private readonly request: ReadRecordsRequest,
    private readonly epoch: string,
  ) {
    if (request.limit === 0)
      throw new AppError(
        'invalid',
        'INVALID_LIMIT',
        'limit is required with cursor: the number of records per page',
      )
  }

  /** The query of the rows after the cursor. Throws AppError `invalid` when it was not given for this question. */
  resume(query: ReadQuery, table: Table, connection: Connection): ReadQuery {
    const { extras } = query
    const page = extras?.page
    if (!page) return query
    this.scope = this.scopeOf(table, query.where, page)
    const after = this.positionIn(table, page, connection)
    return { ...query, extras: { ...extras, page: { ...page, after } } }
  }

  /** The cursor of the next page. */
  next(position: Position): string {
    return this.cursors.make(position, this.scope)
  }

  private scopeOf(table: Table, where: string, { terms, params }: PageQuery): string {
    const { docId, filterJson } = this.request
    // Condition and terms hold the ids of their columns, quoted; a column that took the id of another is another one.
    const sql = [where, ...terms.map((term) => term.sql)].join()
    const columns = table.columns.filter(({ id }) => sql.includes(quoteId(id)))
    // Terms also tell how the types of their columns compare: a change of that makes another order.
    return JSON.stringify([
      docId,
      this.epoch,
      table.ref || table.tableId,
      filterJson.toString(),
      columns.map(({ ref }) => ref),
      terms,
      params,
    ])
  }

  private positionIn(table: Table, page: PageQuery, connection: Connection): Position | undefined {
    const cursor = this.request.view?.cursor ?? ''
    if (cursor === '') return undefined
    const place = this.cursors.read(cursor, this.scope)
    if ('position' in place) return place.position
    const position = findPosition(connection, { from: quoteId(table.tableId), page }, place.row)
    requireSamePosition(position, place.digest)
    return position
  }
}

/** An answer with what was found out beside the rows. */
export interface RecordsDocument {
  /** Cursor of the next page, where it is to be told before the rows. */
  readonly nextCursor?: string
  /** Rows that pass the filter, where they were to be counted. */
  readonly totalCount?: number
  /** The whole document. Must be iterated, or returned, to its end. */
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>
}

/** Completes the answer of a query with extras: in a JSON document they go behind the rows. */
export async function completeDocument(
  { chunks }: RecordsReply,
  { view, limit, format }: ReadRecordsRequest,
  page?: RecordsPage,
): Promise<RecordsDocument> {
  const source =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  const first = await source.next()
  if (first.done) throw new Error('a read returned nothing')
  const { facts, rest } = takeFacts(first.value)
  const cursor = page && facts.next && page.next(facts.next)
  const isJson = readFormat(format) === undefined
  const tail = isJson
    ? tailOf(facts, { paged: page !== undefined, cursor, counted: view?.count })
    : NOTHING
  return {
    nextCursor: limit <= MAX_TOLD_FIRST || !isJson ? cursor : undefined,
    totalCount: facts.total,
    chunks: Array.isArray(chunks) ? [Buffer.concat([rest, tail])] : joinChunks(rest, source, tail),
  }
}

function tailOf(
  { total }: ReadFacts,
  of: { paged: boolean; cursor?: string; counted?: boolean },
): Buffer {
  const next = of.paged ? `,"nextCursor":${JSON.stringify(of.cursor ?? null)}` : ''
  const count = of.counted ? `,"totalCount":${total ?? 0}` : ''
  return Buffer.from(`${next}${count}}`)
}

async function* joinChunks(
  rest: Buffer,
  source: AsyncIterator<Buffer> | Iterator<Buffer>,
  tail: Buffer,
): AsyncGenerator<Buffer> {
  try {
    if (rest.length > 0) yield rest
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
    yield tail
  } finally {
    await source.return?.()
  }
}
