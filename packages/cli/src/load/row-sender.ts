import { TooLargeError, type Cell, type RetryLimits, type Sheaf, type Table } from '@sheaf/client'
import { CliError } from '../cli-error'
import type { BatchSize } from './batch-size'
import type { LoadTarget } from './load-target'

/** The table of a load, whose columns are known at run time. */
type LoadTable = Table<{ id: number; read: Record<string, Cell>; write: Record<string, Cell> }>

/** Rows in the order of the file, and about how many characters their JSON has. */
export interface Batch {
  readonly records: readonly Readonly<Record<string, Cell>>[]
  readonly chars: number
}

/** A load outlives a restart of the server. */
const RETRY: Partial<RetryLimits> = { attempts: 12 }

/** Dependencies of a RowSender. */
export interface RowSenderOptions {
  readonly sheaf: Sheaf
  readonly target: Pick<LoadTarget, 'docId' | 'tableId'>
  /** Greatest row id of the table before the load. */
  readonly lastIdBefore: number
  readonly size: BatchSize
}

/**
 * Sends batches of rows to one table, each exactly once: the client repeats a batch with its idempotency key. Row ids
 * increase without gaps, so they show whether others write to the table, and the greatest one tells how many rows are stored.
 */
export class RowSender {
  private readonly table: LoadTable
  private sent = 0

  constructor(private readonly options: RowSenderOptions) {
    this.table = findTable(options.sheaf, options.target)
  }

  /** Rows known to be stored. */
  get stored(): number {
    return this.sent
  }

  /** Determines how many rows of this load are in the table, and continues from there. Throws SheafError. */
  async resume(): Promise<number> {
    const { sheaf, target, lastIdBefore } = this.options
    this.sent = (await readLastId(sheaf, target)) - lastIdBefore
    return this.sent
  }

  /** Stores a batch. Throws CliError or SheafError when that is impossible. */
  async send(batch: Batch): Promise<void> {
    const { records } = batch
    const startedAt = performance.now()
    let ids: readonly number[]
    try {
      ids = await this.table.add(records, { retry: RETRY })
    } catch (error) {
      if (error instanceof TooLargeError) return this.sendHalves(batch)
      throw error
    }
    const firstId = this.options.lastIdBefore + this.sent + 1
    if (ids.length !== records.length || ids[0] !== firstId) throw this.disturbed()
    this.sent += records.length
    this.options.size.learn(records.length, performance.now() - startedAt)
  }

  private async sendHalves({ records, chars }: Batch): Promise<void> {
    if (records.length === 1) {
      throw new CliError(`row ${this.sent + 1} exceeds the request size limit of the server`)
    }
    this.options.size.tooLarge(chars)
    const middle = Math.ceil(records.length / 2)
    const half = Math.ceil(chars / 2)
    await this.send({ records: records.slice(0, middle), chars: half })
    await this.send({ records: records.slice(middle), chars: half })
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
  sheaf: Sheaf,
  target: RowSenderOptions['target'],
): Promise<number> {
  const [last] = await findTable(sheaf, target).all({ sort: '-id', limit: 1 })
  return last?.id ?? 0
}

function findTable(sheaf: Sheaf, { docId, tableId }: RowSenderOptions['target']): LoadTable {
  return sheaf.doc(docId).table(tableId)
}
