import type { CallOptions, CellWriteOptions, ReadOptions, WriteOptions } from './call-options.ts'
import { Columns } from './columns.ts'
import type { Call, Connection } from './connection.ts'
import type { ColumnId, Row, TableTypes } from './document-types.ts'
import { toGroupsQuery, type Groups, type GroupSelection } from './groups.ts'
import {
  readSeq,
  toFoundQuery,
  toSelectionBody,
  type Filter,
  type Page,
  type PageSelection,
  type Selection,
  type TextSearch,
} from './selection.ts'
import { Views } from './views.ts'

/** Records of one request; few enough for a response to take little memory and time. */
const PAGE_RECORDS = 500

/** Change of a record by its row id. */
export interface RecordUpdate<T extends TableTypes> {
  readonly id: T['id']
  readonly fields: T['write']
  /** Cells that the record must have; otherwise nothing is changed: PreconditionFailedError. */
  readonly expect?: Partial<T['read']>
}

/** Record to find by some cells, and to change, or else to add. */
export interface RequiredRecord<T extends TableTypes> {
  readonly require: T['write']
  readonly fields?: T['write']
  readonly expect?: Partial<T['read']>
}

/** Options of adding or updating records. */
export interface AddOrUpdateOptions extends CellWriteOptions {
  /** Which of several matching records are changed. Default: `first`. */
  readonly onMany?: 'first' | 'none' | 'all'
  readonly noAdd?: boolean
  readonly noUpdate?: boolean
  /** Permits an empty `require`, which every record matches. */
  readonly allowEmptyRequire?: boolean
}

/** Row ids of records that were added or updated. */
export interface AddedOrUpdated<Id extends number> {
  /** For each item, the rows that it was written to. */
  readonly records: readonly (readonly Id[])[]
  readonly added: readonly Id[]
  readonly updated: readonly Id[]
}

/** In which records the values of a column are counted. */
export interface ValueSelection<T extends TableTypes> extends ReadOptions, TextSearch<T> {
  /** Only records that pass are counted. */
  readonly filter?: Filter<T>
  /** Maximum number of values listed, 1,000 at most. Default: 200. */
  readonly limit?: number
}

/** Distinct values of a column, those of most records first. */
export interface ColumnValues<Value> {
  /** For a column of lists their elements, and null for empty lists. */
  readonly values: readonly {
    readonly value: Value extends readonly ['L', ...(infer Item)[]] ? Item : Value
    /** Number of records that have the value. */
    readonly count: number
  }[]
  /** Number of all distinct values, also of those that are not listed. */
  readonly total: number
}

/** A table of a document: its records, columns and views. */
export class Table<T extends TableTypes> {
  readonly id: string
  readonly columns: Columns
  readonly views: Views
  readonly #connection: Connection
  readonly #path: string
  readonly #columnsPath: string
  readonly #groupsPath: string

  /** @internal */
  constructor(connection: Connection, documentPath: string, id: string) {
    const path = `${documentPath}/tables/${encodeURIComponent(id)}`
    this.id = id
    this.columns = new Columns(connection, path)
    this.views = new Views(connection, path)
    this.#connection = connection
    this.#path = `${path}/records`
    this.#columnsPath = `${path}/columns`
    this.#groupsPath = `${path}/groups`
  }

  /**
   * Reads records page by page, while they are iterated over. Never repeats a record, nor skips one that exists throughout.
   *
   * ```ts
   * for await (const { id, fields } of people.list({ filter: { Team: ['red'] }, sort: '-Born', limit: 1000 }))
   *   console.log(id, fields.Name)
   * ```
   */
  async *list<C extends ColumnId<T> = ColumnId<T>>(
    selection: Selection<T, C> = {},
  ): AsyncGenerator<Row<T, C>, void, undefined> {
    let left = selection.limit ?? Infinity
    let cursor: string | undefined = ''
    while (left > 0 && cursor !== undefined) {
      const limit = Math.min(PAGE_RECORDS, left)
      // A cursor already accounts for the skipped rows.
      const offset = cursor === '' ? selection.offset : undefined
      const page: Page<T, C> = await this.page<C>({ ...selection, cursor, offset, limit })
      yield* page.records
      left -= page.records.length
      cursor = page.nextCursor
    }
  }

  /** Resolves to the records of a selection as one array. */
  async all<C extends ColumnId<T> = ColumnId<T>>(
    selection: Selection<T, C> = {},
  ): Promise<Row<T, C>[]> {
    const rows: Row<T, C>[] = []
    for await (const row of this.list(selection)) rows.push(row)
    return rows
  }

  /**
   * Resolves to one page of records, with the cursor of the next one, the number of all records, and the state of the
   * document.
   */
  async page<C extends ColumnId<T> = ColumnId<T>>(
    selection: PageSelection<T, C> = {},
  ): Promise<Page<T, C>> {
    const { cursor = '', limit = PAGE_RECORDS } = selection
    const call: Call = {
      method: 'POST',
      path: `${this.#path}/list`,
      query: { asOf: selection.asOf },
      json: toSelectionBody(selection, { cursor, limit }),
      isRepeatable: true,
    }
    interface Body {
      records: Row<T, C>[]
      nextCursor?: string | null
      totalCount?: number
    }
    const { value, headers } = await this.#connection.jsonWithHeaders<Body>(call, selection)
    const { records, nextCursor, totalCount } = value
    const etag = headers.get('etag') ?? ''
    return { records, nextCursor: nextCursor ?? undefined, totalCount, etag, seq: readSeq(etag) }
  }

  /** Resolves to the record with this row id, undefined if there is none. */
  async find(id: T['id'], options: CallOptions = {}): Promise<Row<T> | undefined> {
    const filter = { id: [id] } as Filter<T>
    const { records } = await this.page({ ...options, filter, limit: 1 })
    return records[0]
  }

  /**
   * Resolves to the distinct values of a column, with the number of records that have each.
   *
   * ```ts
   * const { values } = await people.values('Team', { filter: { Born: { isNull: false } } })
   * ```
   */
  async values<C extends ColumnId<T>>(
    columnId: C,
    { limit, asOf, ...options }: ValueSelection<T> = {},
  ): Promise<ColumnValues<T['read'][C]>> {
    const call: Call = {
      method: 'GET',
      path: `${this.#columnsPath}/${encodeURIComponent(columnId)}/values`,
      query: { ...toFoundQuery(options), limit, asOf },
    }
    return this.#connection.json(call, options)
  }

  /**
   * Resolves to the number of records, and what their cells come to, in groups of the same values and in all.
   *
   * ```ts
   * const { groups, total } = await sales.groups({ groupBy: ['Country'], aggregate: { Price: ['sum'] } })
   * ```
   */
  async groups(selection: GroupSelection<T> = {}): Promise<Groups> {
    const query = toGroupsQuery(selection)
    return this.#connection.json({ method: 'GET', path: this.#groupsPath, query }, selection)
  }

  /**
   * Adds records in order, all or none. Resolves to their row ids.
   *
   * ```ts
   * const [ada] = await people.add([{ Name: 'Ada', Born: '1815-12-10' }])
   * ```
   */
  async add(records: readonly T['write'][], options?: CellWriteOptions): Promise<T['id'][]> {
    const json = { records: records.map((fields) => ({ fields })) }
    const call: Call = { method: 'POST', path: this.#path, json }
    const added = await this.#write<{ records: { id: T['id'] }[] }>(call, options)
    return added.records.map(({ id }) => id)
  }

  /**
   * Changes records by row id, all or none. All of them must set the same columns; operations of `batch` need not.
   *
   * ```ts
   * await people.update([{ id: 1, fields: { Name: 'Ada Lovelace' }, expect: { Name: 'Ada' } }])
   * ```
   */
  async update(records: readonly RecordUpdate<T>[], options?: CellWriteOptions): Promise<void> {
    await this.#write({ method: 'PATCH', path: this.#path, json: { records } }, options)
  }

  /**
   * Changes the record that has the cells in `require`, or adds one with the cells of `require` and `fields`, for each
   * item.
   *
   * ```ts
   * await people.addOrUpdate([{ require: { Email: 'ada@example.com' }, fields: { Name: 'Ada' } }])
   * ```
   */
  async addOrUpdate(
    records: readonly RequiredRecord<T>[],
    options: AddOrUpdateOptions = {},
  ): Promise<AddedOrUpdated<T['id']>> {
    const { onMany, noAdd, noUpdate, allowEmptyRequire } = options
    const query = {
      onmany: onMany,
      noadd: noAdd,
      noupdate: noUpdate,
      allow_empty_require: allowEmptyRequire,
    }
    const call: Call = { method: 'PUT', path: this.#path, query, json: { records } }
    interface Body {
      recordIds: T['id'][][]
      addRecordIds: T['id'][]
      updateRecordIds: T['id'][][]
    }
    const written = await this.#write<Body>(call, options)
    return {
      records: written.recordIds,
      added: written.addRecordIds,
      updated: written.updateRecordIds.flat(),
    }
  }

  /** Deletes records by row id, all or none. */
  async delete(ids: readonly T['id'][], options?: WriteOptions): Promise<void> {
    const path = `${this.#path}/delete`
    await this.#write({ method: 'POST', path, json: ids }, options)
  }

  async #write<T>(call: Call, options: CellWriteOptions = {}): Promise<T> {
    const query = { ...call.query, noparse: options.noParse }
    return (await this.#connection.write<T>({ ...call, query }, options)).value
  }
}
