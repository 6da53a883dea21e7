import { call, callWhole, seqOf } from '../../api/client'
import { tablePath } from '../../api/resources'
import type { PageStart } from './cursor-index'
import type { Row } from '../../api/row'

/** A part of the rows, as the API answers it. */
export interface RowsPage {
  readonly rows: readonly Row[]
  /** Where the rows after these begin; null when there are none. */
  readonly nextCursor: string | null
  /** How many rows there are altogether, when that was asked. */
  readonly total?: number
  /** The position in the log that this was read at. */
  readonly seq: number
}

/** Which rows are asked for. */
export interface PageQuestion extends PageStart {
  readonly limit: number
  readonly isCounted: boolean
}

/** Cells of a row that are to be changed. */
export interface RowChange {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

interface Answered {
  readonly records: readonly Row[]
  readonly nextCursor: string | null
  readonly totalCount?: number
}

/** Reads and writes the rows of one table, which are sorted and filtered as these texts tell. */
export class RowsApi {
  private readonly path: string

  constructor(
    docId: string,
    tableId: string,
    private readonly sort: string,
    private readonly filter: string,
  ) {
    this.path = `${tablePath(docId, tableId)}/records`
  }

  /** A page of rows. */
  async readPage(asked: PageQuestion, signal: AbortSignal): Promise<RowsPage> {
    const { cursor, offset, limit, isCounted } = asked
    const answer = await callWhole<Answered>('GET', this.path, {
      query: {
        limit,
        cursor,
        offset: offset || undefined,
        count: isCounted || undefined,
        sort: this.sort || undefined,
        filter: this.filter || undefined,
      },
      signal,
    })
    const { records, nextCursor, totalCount } = answer.body
    return { rows: records, nextCursor, total: totalCount, seq: seqOf(answer) }
  }

  /** These rows, wherever they stand and whether they pass the filter or not. */
  async readRows(ids: readonly number[]): Promise<Pick<RowsPage, 'rows' | 'seq'>> {
    const answer = await callWhole<Answered>('GET', this.path, {
      query: { filter: JSON.stringify({ id: ids }) },
    })
    return { rows: answer.body.records, seq: seqOf(answer) }
  }

  /** Changes cells. */
  async change(records: readonly RowChange[]): Promise<void> {
    await call('PATCH', this.path, { body: { records } })
  }

  /** Adds an empty row; resolves to its id. */
  async add(): Promise<number> {
    const body = { records: [{ fields: {} }] }
    const { records } = await call<{ records: { id: number }[] }>('POST', this.path, { body })
    const [record] = records
    if (!record) throw new Error('no row was added')
    return record.id
  }

  /** Deletes rows. */
  async remove(ids: readonly number[]): Promise<void> {
    await call('POST', `${this.path}/delete`, { body: ids })
  }
}
