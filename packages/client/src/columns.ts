import type { ReadOptions, WriteOptions } from './call-options.ts'
import type { Call, Connection } from './connection.ts'
import type { Column, ColumnUpdate, NewColumn } from './resources.ts'

/** Options of adding or updating columns. */
export interface AddOrUpdateColumnsOptions extends WriteOptions {
  readonly noAdd?: boolean
  readonly noUpdate?: boolean
  /** Deletes visible columns that are not given. */
  readonly replaceAll?: boolean
}

/** The columns of a table. */
export class Columns {
  readonly #connection: Connection
  readonly #path: string

  /** @internal */
  constructor(connection: Connection, tablePath: string) {
    this.#connection = connection
    this.#path = `${tablePath}/columns`
  }

  /** Lists the columns in their order, without hidden ones unless requested. */
  async list({
    hidden,
    asOf,
    ...options
  }: ReadOptions & { readonly hidden?: boolean } = {}): Promise<Column[]> {
    const call: Call = { method: 'GET', path: this.#path, query: { hidden, asOf } }
    return (await this.#connection.json<{ columns: Column[] }>(call, options)).columns
  }

  /**
   * Adds columns, all or none. Resolves to their ids.
   *
   * ```ts
   * await people.columns.add([{ id: 'Born', fields: { type: 'Date' } }])
   * ```
   */
  async add(columns: readonly NewColumn[], options?: WriteOptions): Promise<string[]> {
    const call: Call = { method: 'POST', path: this.#path, json: { columns } }
    const { value } = await this.#connection.write<{ columns: { id: string }[] }>(call, options)
    return value.columns.map(({ id }) => id)
  }

  /** Changes columns by id, all or none. All of them must set the same fields. */
  async update(columns: readonly ColumnUpdate[], options?: WriteOptions): Promise<void> {
    const call: Call = { method: 'PATCH', path: this.#path, json: { columns } }
    await this.#connection.write(call, options)
  }

  /** Changes the columns whose ids exist, and adds the others, all or none. */
  async addOrUpdate(
    columns: readonly ColumnUpdate[],
    options: AddOrUpdateColumnsOptions = {},
  ): Promise<void> {
    const { noAdd, noUpdate, replaceAll } = options
    const query = { noadd: noAdd, noupdate: noUpdate, replaceall: replaceAll }
    const call: Call = { method: 'PUT', path: this.#path, query, json: { columns } }
    await this.#connection.write(call, options)
  }

  /** Deletes a column with its cells. */
  async delete(columnId: string, options?: WriteOptions): Promise<void> {
    const path = `${this.#path}/${encodeURIComponent(columnId)}`
    await this.#connection.write({ method: 'DELETE', path }, options)
  }
}
