import { AppError } from '@sheaf/kit/errors'
import type { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { requireSamePosition, type Cursors, type Position } from '../query/cursor'
import { quoteId } from '../quoting/quote'
import { columnSql } from '../values/error-cells'
import type { ReadQuery } from '../query/read-query'
import type { Order } from '../query/sort'
import type { Connection } from '../store/sqlite/connections'
import { findPosition } from '../store/reads/ordered-ids'
import { takeFacts, type ReadFacts } from '../store/reads/read-extras'
import type { RecordsReply } from '../store/documents/record-reads'
import type { Table } from '../store/schema/schema'
import { readFormat } from './record-format'

/** Larger pages return their cursor only at the end of the response, in formats that can hold it there. */
const MAX_TOLD_FIRST = 10_000
const NOTHING = Buffer.alloc(0)

/** A page of records: validates the cursor of the request and creates the cursor of the next page. */
export class RecordsPage {
  /** Scope of the request; both cursors are bound to it. */
  private scope = ''

  /**
   * The page that a request with a cursor asks for; undefined without one. Throws AppError `invalid` if the request has
   * no limit.
   * @param epoch of the document
   */
  static of(cursors: Cursors, request: ReadRecordsRequest, epoch: string): RecordsPage | undefined {
    return request.view?.cursor === undefined ? undefined : new RecordsPage(cursors, request, epoch)
  }

  private constructor(
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

  /**
   * Returns the query of the rows after the cursor. Throws AppError `invalid` for a cursor of another
   * request.
   */
  resume(query: ReadQuery, table: Table, connection: Connection): ReadQuery {
    const { extras } = query
    const page = extras?.page
    if (!page) return query
    this.scope = this.scopeOf(table, query)
    const after = this.positionIn(table, query.order, connection)
    return { ...query, extras: { ...extras, page: { ...page, after } } }
  }

  next(position: Position): string {
    return this.cursors.make(position, this.scope)
  }

  private scopeOf(table: Table, { where, order }: ReadQuery): string {
    const { docId, filterJson, search } = this.request
    // Condition and terms name columns by quoted id. Their refs are part of the scope, because a rename can
    // give the same id to another column.
    const sql = [where, ...order.terms.map((term) => term.sql)].join()
    const columns = table.columns.filter(({ id }) => sql.includes(quoteId(id)))
    // A column that is being computed is read by another expression after each step; cursors stay valid.
    const steady = (text: string) =>
      columns.reduce((left, of) => left.replaceAll(columnSql(of), quoteId(of.id)), text)
    // Terms include how column types compare, so that a type change that alters the order invalidates
    // cursors.
    return JSON.stringify([
      docId,
      this.epoch,
      table.ref || table.tableId,
      filterJson.toString(),
      columns.map(({ ref }) => ref),
      order.terms.map(({ sql: term, descending }) => ({ sql: steady(term), descending })),
      order.params,
      ...(search ? [search] : []),
    ])
  }

  private positionIn(table: Table, order: Order, connection: Connection): Position | undefined {
    const cursor = this.request.view?.cursor ?? ''
    if (cursor === '') return undefined
    const place = this.cursors.read(cursor, this.scope)
    if ('position' in place) return place.position
    const position = findPosition(connection, { from: quoteId(table.tableId), order }, place.row)
    requireSamePosition(position, place.digest)
    return position
  }
}

/** A response with the extras of its query. */
export interface RecordsDocument {
  /** Cursor of the next page, if it is returned before the rows. */
  readonly nextCursor?: string
  /** Number of rows that pass the filter, if requested. */
  readonly totalCount?: number
  /** The whole document. Must be iterated to its end or returned. */
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>
}

/** Completes the response of a query with extras; a JSON document has them after the rows. */
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
