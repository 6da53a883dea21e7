import type { Row } from '../../api/resources'
import { docOf, type AnyDoc } from '../../api/sheaf'
import { makeChange } from '../../undo/make-change'
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

/** New cell values of a row. */
export interface RowChange {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

/** A row as the API returns it: a cell with an error is null. */
interface StoredRow extends Row {
  readonly errors?: Readonly<Record<string, string | undefined>>
}

/** The table and the view whose rows are read. */
interface RowsSource {
  readonly docId: string
  readonly tableId: string
  /** Query parameters of the API. */
  readonly sort: string
  readonly filter: string
  readonly asOf: string | undefined
}

/** Reads and writes the rows of a table. */
export class RowsApi {
  private readonly table: ReturnType<AnyDoc['table']>

  constructor(private readonly source: RowsSource) {
    this.table = docOf(source.docId).table(source.tableId)
  }

  /** Reads a page of rows. */
  async readPage(request: PageRequest, signal: AbortSignal): Promise<RowsPage> {
    const { cursor, offset, limit, isCounted } = request
    const { sort, filter, asOf } = this.source
    const { records, nextCursor, totalCount, seq } = await this.table.page({
      limit,
      cursor,
      offset: offset || undefined,
      count: isCounted || undefined,
      sort: sort === '' ? undefined : sort.split(','),
      filter: filter === '' ? undefined : (JSON.parse(filter) as object),
      asOf,
      signal,
    })
    return { rows: records.map(withErrors), nextCursor: nextCursor ?? null, total: totalCount, seq }
  }

  /** Reads rows by id, whether they match the filter or not. */
  async readRows(ids: readonly number[]): Promise<Pick<RowsPage, 'rows' | 'seq'>> {
    const { records, seq } = await this.table.page({ filter: { id: ids } })
    return { rows: records.map(withErrors), seq }
  }

  /** Changes cells. Resolves to the position of the change in the log; undefined if nothing changed. */
  async change(records: readonly RowChange[]): Promise<number | undefined> {
    const { docId, tableId: table } = this.source
    return (await makeChange(docId, { op: 'updateRecords', table, records })).seq
  }

  /** Adds an empty row. Resolves to its id, and the position of the change in the log. */
  async add(): Promise<{ readonly id: number; readonly seq: number | undefined }> {
    const { docId, tableId: table } = this.source
    const { operation, seq } = await makeChange(docId, {
      op: 'addRecords',
      table,
      records: [{ fields: {} }],
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

/** The row with errors as cells, in the form that the change stream has. */
function withErrors({ errors, ...row }: StoredRow): Row {
  if (!errors) return row
  const cells = Object.entries(errors).map(([colId, name]) => [colId, ['E', name]])
  return { ...row, fields: { ...row.fields, ...(Object.fromEntries(cells) as Row['fields']) } }
}
