import type { ReadOptions, WriteOptions } from './call-options.ts'
import type { Call, Connection } from './connection.ts'
import type { View, ViewSettings } from './resources.ts'

/** The views of a table. */
export class Views {
  readonly #connection: Connection
  readonly #path: string

  /** @internal */
  constructor(connection: Connection, tablePath: string) {
    this.#connection = connection
    this.#path = `${tablePath}/views`
  }

  /** Lists the views by position. */
  async list({ asOf, ...options }: ReadOptions = {}): Promise<View[]> {
    const call: Call = { method: 'GET', path: this.#path, query: { asOf } }
    return (await this.#connection.json<{ views: View[] }>(call, options)).views
  }

  /**
   * Adds views, all or none. Resolves to their ids.
   *
   * ```ts
   * await people.views.add([{ name: 'Red team', filter: { Team: ['red'] }, sort: ['-Born'] }])
   * ```
   */
  async add(
    views: readonly (ViewSettings & { readonly name: string })[],
    options?: WriteOptions,
  ): Promise<number[]> {
    const json = { views: views.map((fields) => ({ fields })) }
    const call: Call = { method: 'POST', path: this.#path, json }
    const { value } = await this.#connection.write<{ views: { id: number }[] }>(call, options)
    return value.views.map(({ id }) => id)
  }

  /** Changes views by id, all or none. */
  async update(
    views: readonly { readonly id: number; readonly fields: ViewSettings }[],
    options?: WriteOptions,
  ): Promise<void> {
    await this.#connection.write({ method: 'PATCH', path: this.#path, json: { views } }, options)
  }

  /** Deletes a view. */
  async delete(viewId: number, options?: WriteOptions): Promise<void> {
    await this.#connection.write({ method: 'DELETE', path: `${this.#path}/${viewId}` }, options)
  }
}
