import type { CallOptions, WriteOptions } from './call-options.ts'
import type { Change } from './change.ts'
import type { Call, Connection, OpenResponse, WithHeaders } from './connection.ts'
import { InvalidRequestError } from './errors.ts'

/** What a write would do. */
export interface DryRun<Result> {
  /** What the function that was tried has resolved to. */
  readonly result: Result
  /** What the write would change, with the results of formulas; null for nothing. */
  readonly change: Change | null
  /** Formula columns, as `Table.Column`, that would still have cells to compute. */
  readonly pendingColumns: readonly string[]
}

/** Sends one write as a dry run, and refuses others. Reads show the document as it is. */
export class DryRunConnection implements Connection {
  readonly #connection: Connection
  #writes = 0
  #tried: Promise<WithHeaders<DryRun<unknown>>> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  json<T>(call: Call, options?: CallOptions): Promise<T> {
    return this.#connection.json(call, options)
  }

  jsonWithHeaders<T>(call: Call, options?: CallOptions): Promise<WithHeaders<T>> {
    return this.#connection.jsonWithHeaders(call, options)
  }

  open(call: Call, options?: CallOptions): Promise<OpenResponse> {
    return this.#connection.open(call, options)
  }

  async write<T>(call: Call, options?: WriteOptions): Promise<WithHeaders<T>> {
    this.#writes++
    this.#requireOneWrite()
    // A dry run has no second effect, and would not use its key.
    const tried = this.#connection.write<DryRun<T>>(
      { ...call, query: { ...call.query, dryRun: true }, isRepeatable: true },
      { ...options, idempotencyKey: false },
    )
    this.#tried = tried
    const { value, headers } = await tried
    return { value: value.result, headers }
  }

  /** Resolves to what the write would change. Throws InvalidRequestError `DRY_RUN_WRITES` unless there was one write. */
  async preview(): Promise<Omit<DryRun<unknown>, 'result'>> {
    this.#requireOneWrite()
    const { value } = (await this.#tried) as WithHeaders<DryRun<unknown>>
    return { change: value.change, pendingColumns: value.pendingColumns }
  }

  #requireOneWrite(): void {
    if (this.#writes === 1) return
    throw new InvalidRequestError({
      status: 0,
      reason: 'DRY_RUN_WRITES',
      message: `a dry run tries one write, not ${this.#writes}; several are operations of one batch`,
    })
  }
}
