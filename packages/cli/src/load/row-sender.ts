import { jitter } from '@sheaf/kit/backoff'
import { CliError } from '../cli-error'
import { RestError, type RestClient } from '../rest-client'
import type { BatchSize } from './batch-size'
import type { LoadTarget } from './load-target'

/** Rows as JSON records, in the order of the file. */
export type Batch = readonly string[]

const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]
const LONGEST_WAIT_MS = 60_000

/** Dependencies of a RowSender. */
export interface RowSenderOptions {
  readonly rest: RestClient
  readonly target: Pick<LoadTarget, 'docId' | 'tableId'>
  /** Greatest row id of the table before the load. */
  readonly lastIdBefore: number
  readonly size: BatchSize
  /** Waits; replaced in tests. */
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Sends batches of rows to one table, each exactly once. A batch is stored atomically, and row ids increase
 * without gaps, so the greatest id of the table shows which batches are stored. It is read after every
 * failure, since a failed request may have taken effect without its response arriving.
 */
export class RowSender {
  private readonly path: string
  private sent = 0

  constructor(private readonly options: RowSenderOptions) {
    this.path = recordsPath(options.target)
  }

  /** Rows known to be stored. */
  get stored(): number {
    return this.sent
  }

  /** Determines how many rows of this load are in the table, and continues from there. Throws RestError. */
  async resume(): Promise<number> {
    this.sent = await this.countStored()
    return this.sent
  }

  /** Stores a batch. Throws CliError or RestError when that is impossible. */
  async send(batch: Batch): Promise<void> {
    const body = `{"records":[${batch.join(',')}]}`
    const before = this.sent
    const after = before + batch.length
    for (let failures = 0; this.sent === before;) {
      try {
        if (failures > 0) await this.resync(before, after)
        if (this.sent === before) await this.post(batch, body)
      } catch (error) {
        if (isTooLarge(error)) return this.sendHalves(batch, body.length)
        const wait = RETRY_DELAYS_MS[failures++]
        if (!(error instanceof RestError && error.isTransient) || wait === undefined) throw error
        const asked = Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS)
        await this.options.sleep(Math.max(asked, jitter(wait, 0.25)))
      }
    }
  }

  private async post(batch: Batch, body: string): Promise<void> {
    const startedAt = performance.now()
    const { records } = await this.options.rest.post<{ records: { id: number }[] }>(this.path, body)
    const firstId = this.options.lastIdBefore + this.sent + 1
    if (records.length !== batch.length || records[0]?.id !== firstId) throw this.disturbed()
    this.sent += batch.length
    this.options.size.learn(batch.length, performance.now() - startedAt)
  }

  private async sendHalves(batch: Batch, chars: number): Promise<void> {
    if (batch.length === 1) {
      throw new CliError(`row ${this.sent + 1} exceeds the request size limit of the server`)
    }
    this.options.size.tooLarge(chars)
    const middle = Math.ceil(batch.length / 2)
    await this.send(batch.slice(0, middle))
    await this.send(batch.slice(middle))
  }

  private async resync(before: number, after: number): Promise<void> {
    const stored = await this.countStored()
    if (stored !== before && stored !== after) throw this.disturbed()
    this.sent = stored
  }

  private async countStored(): Promise<number> {
    const { rest, target, lastIdBefore } = this.options
    return (await readLastId(rest, target)) - lastIdBefore
  }

  private disturbed(): CliError {
    const { tableId } = this.options.target
    return new CliError(
      `rows of ${tableId} were added or removed by others during the load, so the number of stored rows is ` +
        `uncertain: about ${this.sent}`,
    )
  }
}

/** Returns the greatest row id of a table; 0 when it is empty. */
export async function readLastId(
  rest: RestClient,
  target: RowSenderOptions['target'],
): Promise<number> {
  const path = `${recordsPath(target)}?sort=-id&limit=1`
  const { records } = await rest.get<{ records: { id: number }[] }>(path)
  return records[0]?.id ?? 0
}

function recordsPath({ docId, tableId }: RowSenderOptions['target']): string {
  return `/api/docs/${encodeURIComponent(docId)}/tables/${encodeURIComponent(tableId)}/records`
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RestError && error.status === 413
}
