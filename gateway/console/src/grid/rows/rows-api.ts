import type { AggregateName, Groups } from '@sheaf/client'
import type { Row } from '../../api/resources'
import { docOf, type AnyDoc } from '../../api/sheaf'
import { makeChange } from '../../undo/make-change'
import { withErrors } from '../../writes/table/cells-api'
import type { PageStart } from './cursor-index'

/** A page of rows. */
export interface RowsPage {
  readonly rows: readonly Row[]
  /** Cursor of the next page; null for the last page. */
  readonly nextCursor: string | null
  /** Total number of rows, if it was requested. */
  readonly total?: number
  /** Sequence number of the change log at which the page was read. */
  readonly seq: number
}

/** A request for a page of rows. */
export interface PageRequest extends PageStart {
  readonly limit: number
  readonly isCounted: boolean
}

/** Reads a page of rows. */
export type ReadPage = (request: PageRequest, signal: AbortSignal) => Promise<RowsPage>

/** A search in rows. */
export interface RowSearch {
  /** Empty for no search. */
  readonly text: string
  /** Ids of the columns in which it looks, separated by commas. */
  readonly fields: string
  /** Ids of the other tables whose rows are shown in these columns, separated by commas. */
  readonly tables: string
}

/** Innermost groups of a view; the rows of others are one group. */
const MAX_GROUPS = 5_000

/** The parameters of a search: what it finds depends on the language in which numbers and dates are shown. */
function toSearch({ text, fields }: RowSearch) {
  if (text === '') return {}
  const { locale } = Intl.DateTimeFormat().resolvedOptions()
  return { search: text, searchFields: fields.split(','), searchLocale: locale }
}

/** The table and the view whose rows are read. */
interface RowsSource {
  readonly docId: string
  readonly tableId: string
  /** Query parameters of the API. */
  readonly sort: string
  readonly filter: string
  readonly search: RowSearch
  readonly asOf: string | undefined
}

/** Reads, adds and deletes the rows of a table. Cells are written by `TableWrites`. */
export class RowsApi {
  private readonly table: ReturnType<AnyDoc['table']>

  constructor(private readonly source: RowsSource) {
    this.table = docOf(source.docId).table(source.tableId)
  }

  /** False for rows as they were at a former moment. */
  get isPresent(): boolean {
    return this.source.asOf === undefined
  }

  /** Reads a page of rows. */
  async readPage(request: PageRequest, signal: AbortSignal): Promise<RowsPage> {
    const { cursor, offset, limit, isCounted } = request
    const { sort, filter, search, asOf } = this.source
    const { records, nextCursor, totalCount, seq } = await this.table.page({
      limit,
      cursor,
      offset: offset || undefined,
      count: isCounted || undefined,
      sort: sort === '' ? undefined : sort.split(','),
      filter: filter === '' ? undefined : (JSON.parse(filter) as object),
      ...toSearch(search),
      asOf,
      signal,
    })
    return { rows: records.map(withErrors), nextCursor: nextCursor ?? null, total: totalCount, seq }
  }

  /** Reads the groups of the rows by sort keys, and aggregates of their columns. */
  readGroups(
    groupBy: string,
    aggregate: Readonly<Record<string, readonly AggregateName[]>>,
    signal: AbortSignal,
  ): Promise<Groups> {
    const { filter, search, asOf } = this.source
    return this.table.groups({
      groupBy: groupBy === '' ? undefined : groupBy.split(','),
      aggregate,
      limit: MAX_GROUPS,
      filter: filter === '' ? undefined : (JSON.parse(filter) as object),
      ...toSearch(search),
      asOf,
      signal,
    })
  }

  /** Resolves to the number of rows before one, without the search; undefined for rows that are sorted. */
  async countBefore(id: number): Promise<number | undefined> {
    const { sort, filter, asOf } = this.source
    if (sort !== '') return undefined
    const earlier = { id: { lt: id } }
    const both = filter === '' ? earlier : { and: [JSON.parse(filter) as object, earlier] }
    return (await this.table.page({ limit: 1, count: true, filter: both, asOf })).totalCount
  }

  /** Adds a row with these cells, and others that are empty. Resolves to its id, and the position of the change in the log. */
  async add(
    fields: Row['fields'] = {},
  ): Promise<{ readonly id: number; readonly seq: number | undefined }> {
    const { docId, tableId: table } = this.source
    const { operation, seq } = await makeChange(docId, {
      op: 'addRecords',
      table,
      records: [{ fields }],
    })
    const id = operation?.added?.[0]
    if (id === undefined) throw new Error('the API returned no row')
    return { id, seq }
  }

  /** Deletes rows. Resolves to the position of the change in the log; undefined if nothing changed. */
  async remove(ids: readonly number[]): Promise<number | undefined> {
    const { docId, tableId: table } = this.source
    const records = ids.map((id) => ({ id }))
    return (await makeChange(docId, { op: 'deleteRecords', table, records })).seq
  }
}
