import type { StoredValue } from '../../values/column-type'
import { storedNumber } from '../../values/numbers/number-storage'
import type { StopReason } from '../../values/error-cells'
import type { LogValue } from '../../store/log/log'
import type { Connection } from '../../store/sqlite/connections'
import type { Schema } from '../../store/schema/schema'
import { columnsOf } from '../dependencies/formula-columns'
import { sendCells, updateJson } from './column-reads'
import type { EvaluatorSession } from './evaluator-pool'
import {
  parseMessage,
  schemaMessage,
  type CheckedMessage,
  type DirtyMessage,
  type DoneMessage,
  type EvaluatorMessage,
  type PendingMessage,
  type StoppedMessage,
  type UserMessage,
} from './messages'

/** Milliseconds in which an evaluator starts, also on a busy machine, and where its files have to be made first. */
const START_MS = 25_000
/** Rows of a request that take next to no time to read. */
const ANNOUNCED_ROWS = 1_000
/** Bytes of all results of one exchange. */
const MAX_RESULT_BYTES = 128 * 1024 * 1024

/** What to compute. */
export interface ExchangeRequest {
  readonly dirty: readonly DirtyMessage[]
  readonly user: UserMessage | undefined
  readonly pending: readonly PendingMessage[]
  readonly stopped: readonly StoppedMessage[]
  /** Ref of a column whose formula is checked: its names are looked at, and the lines of its errors reported. */
  readonly check?: number
}

/** Computed cells of one column. */
export interface ColumnResults {
  /** The stored cells, if they are known, in the order of the rows. */
  readonly before?: LogValue[]
  readonly rowIds: number[]
  readonly values: StoredValue[]
}

/** The time that an exchange may take, and who takes its results. */
export interface ExchangeOptions {
  /** Milliseconds for one column at a time, … */
  readonly columnMs: number
  /** … and for the exchange, which begins with the first message of an evaluator that has to start. */
  readonly totalMs: number
  /** Takes results as they arrive, while the evaluator goes on; without it, they are those of the outcome. */
  readonly onResults?: (results: ReadonlyMap<number, ColumnResults>) => void
}

/**
 * How an exchange ended. `column` is the one that was being computed when a limit was exceeded; `failed` stands for an
 * evaluator that ended by itself.
 */
export type ExchangeOutcome =
  | {
      readonly kind: 'done'
      readonly done: DoneMessage
      readonly results: Map<number, ColumnResults>
    }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly column: number | undefined }
  | { readonly kind: 'late' | 'failed'; readonly column: number | undefined }

/** What an exchange reads: the open transaction. */
export interface ExchangeSource {
  readonly connection: Connection
  readonly schema: Schema
  /** Ref of a column of the schema that is not stored. */
  readonly unstored?: number
}

/** One exchange with an evaluator: what has changed and what to compute, its reads, and its results. */
export class Exchange {
  private readonly results = new Map<number, ColumnResults>()
  /** What was said of the formula that is checked. */
  checked: CheckedMessage | undefined
  private column: number | undefined
  private resultBytes = 0
  private columnTimer: NodeJS.Timeout | undefined
  private wholeTimer: NodeJS.Timeout | undefined
  private outcome: ExchangeOutcome | undefined
  private begun = performance.now()
  private settle: (outcome: ExchangeOutcome) => void = () => {}

  constructor(
    private readonly session: EvaluatorSession,
    private readonly source: ExchangeSource,
    private readonly options: ExchangeOptions,
  ) {}

  /** Runs the exchange. An evaluator that exceeds a limit is ended. Does not reject. */
  run(request: ExchangeRequest, signal: AbortSignal): Promise<ExchangeOutcome> {
    const { session } = this
    return new Promise((resolve) => {
      this.settle = (outcome) => {
        if (this.outcome) return
        this.outcome = outcome
        clearTimeout(this.columnTimer)
        clearTimeout(this.wholeTimer)
        signal.removeEventListener('abort', abandon)
        session.listener = undefined
        resolve(outcome)
      }
      const abandon = () => this.kill({ kind: 'failed', column: undefined })
      if (session.ended || signal.aborted) return this.settle({ kind: 'failed', column: undefined })
      signal.addEventListener('abort', abandon)
      session.listener = {
        onMessage: (message, bytes) => this.receive(message, bytes.length),
        onExit: (cause) =>
          this.settle(
            cause === 'memory'
              ? { kind: 'stopped', reason: 'memory', column: this.column }
              : { kind: 'failed', column: this.column },
          ),
      }
      this.limit(session.hasAnswered ? this.options.totalMs : START_MS)
      this.begin(request)
    })
  }

  /** Milliseconds for which the formulas of the exchange have run. */
  get usedMs(): number {
    return performance.now() - this.begun
  }

  private limit(ms: number): void {
    clearTimeout(this.wholeTimer)
    this.begun = performance.now()
    this.wholeTimer = setTimeout(() => this.kill({ kind: 'late', column: this.column }), ms)
  }

  private begin(request: ExchangeRequest): void {
    const { session, source } = this
    const schema = schemaMessage(source.schema)
    if (session.schemaText !== schema) session.send(Buffer.from(schema))
    session.schemaText = schema
    const { drop, updates } = takeUpdates(session, source)
    const announced = this.announce(request)
    const rest = JSON.stringify({ ...request, announced })
    session.send(
      Buffer.from(
        `{"type":"compute","drop":${JSON.stringify(drop)},"updates":[${updates.join(',')}],${rest.slice(1)}`,
      ),
    )
  }

  /**
   * The column that is taken to be computed first without a message that says so: of a small request to an evaluator that
   * runs, which begins with it at once.
   */
  private announce({ dirty: [first] }: ExchangeRequest): number | undefined {
    if (!this.session.hasAnswered || !first || !('rows' in first)) return undefined
    if (first.rows.length > ANNOUNCED_ROWS) return undefined
    this.computes(first.ref)
    return first.ref
  }

  private receive(message: Readonly<Record<string, unknown>>, bytes: number): void {
    if (!this.session.hasAnswered) this.limit(this.options.totalMs)
    this.session.hasAnswered = true
    try {
      this.handle(parseMessage(message), bytes)
    } catch {
      // Only a formula that tampers with the evaluator gets here.
      this.kill({ kind: 'failed', column: this.column })
    }
  }

  private handle(message: EvaluatorMessage, bytes: number): void {
    switch (message.type) {
      case 'computing':
        return this.computes(message.column)
      case 'read':
        return this.read(message)
      case 'result':
        this.resultBytes += bytes
        if (this.resultBytes > MAX_RESULT_BYTES)
          return this.kill({ kind: 'stopped', reason: 'memory', column: this.column })
        return this.keep(message)
      case 'checked':
        this.checked = message
        return
      case 'done':
        return this.settle({ kind: 'done', done: message, results: this.results })
    }
  }

  private computes(column: number): void {
    this.column = column
    clearTimeout(this.columnTimer)
    this.columnTimer = setTimeout(
      () => this.kill({ kind: 'stopped', reason: 'time', column: this.column }),
      this.options.columnMs,
    )
  }

  private keep({ column, rows, values }: EvaluatorMessage & { type: 'result' }): void {
    const results = this.results.get(column) ?? { rowIds: [], values: [] }
    this.results.set(column, results)
    rows.forEach((id, index) => {
      const value = values[index] ?? null
      results.rowIds.push(id)
      results.values.push(typeof value === 'number' ? storedNumber(value) : value)
    })
    if (!this.options.onResults) return
    this.options.onResults(this.results)
    this.results.clear()
  }

  private read({ column, table, rows }: EvaluatorMessage & { type: 'read' }): void {
    const { source, session } = this
    const of = column === undefined ? undefined : columnsOf(source.schema).byRef.get(column)
    const tableId = of?.table.tableId ?? (table && source.schema.find(table)?.tableId)
    if (tableId === undefined) throw new Error('the evaluator reads something that does not exist')
    if (column !== undefined) session.held.add(column)
    // Time for reading is not the formula's, so the timer of the column begins again.
    const send = (message: Buffer) => {
      if (!this.outcome) session.send(message)
    }
    clearTimeout(this.columnTimer)
    const isUnstored = column !== undefined && column === source.unstored
    const wanted = { tableId, colId: of?.column.id, rowIds: rows, isUnstored }
    sendCells(source.connection, wanted, send).then(
      () => {
        if (!this.outcome && this.column !== undefined) this.computes(this.column)
      },
      () => this.kill({ kind: 'failed', column: undefined }),
    )
  }

  private kill(outcome: ExchangeOutcome): void {
    this.settle(outcome)
    this.session.kill()
  }
}

/** Takes what has changed since the last exchange. */
function takeUpdates(
  session: EvaluatorSession,
  { connection, schema }: ExchangeSource,
): { drop: string[]; updates: string[] } {
  const drop: string[] = []
  const updates: string[] = []
  for (const table of schema.tables) {
    const stale = session.stale.get(table.ref)
    if (session.isLost || session.dropped.has(table.ref)) {
      drop.push(table.tableId)
      for (const { ref } of table.columns) session.held.delete(ref)
    } else if (stale) {
      const columns = table.columns.filter(({ ref }) => session.held.has(ref))
      updates.push(updateJson(connection, { tableId: table.tableId, columns, rowIds: [...stale] }))
    }
  }
  session.isLost = false
  session.dropped.clear()
  session.stale.clear()
  return { drop, updates }
}
