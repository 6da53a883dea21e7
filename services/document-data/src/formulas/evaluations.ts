import type { DerivedGroup } from '../store/documents/derived-group'
import type { DerivationParts } from './derivation-parts'
import { columnsOf } from './dependencies/formula-columns'
import type { EvaluatorSession } from './exchange/evaluator-pool'
import { Exchange, type ColumnResults, type ExchangeOutcome } from './exchange/exchange'
import { unfinished, userOf, type DirtyMessage } from './exchange/messages'
import { triggerMs } from './requested-cells'

/** How a step of pending cells ended. */
export type SliceOutcome =
  | {
      readonly kind: 'done'
      /** Rows that were computed, … */
      readonly rows: number
      /** … and the milliseconds that took: for computing their cells, or for storing them meanwhile if that took longer. */
      readonly ms: number
      /** The row at which the step ended, if that was before its last one. */
      readonly to?: number
    }
  | Exclude<ExchangeOutcome, { kind: 'done' }>

/** The exchanges of one derivation with the evaluator of its document, within the time that is left for them. */
export class Evaluations {
  /** Milliseconds that are left for formulas. */
  private leftMs: number

  constructor(
    private readonly group: DerivedGroup,
    private readonly parts: DerivationParts,
  ) {
    this.leftMs = parts.limits.computeMs
  }

  /** True when there is an evaluator at present. */
  async hasEvaluator(): Promise<boolean> {
    const session = await this.acquire()
    if (session) this.parts.pool.release(session)
    return session !== undefined
  }

  /** Computes cells in Python. Undefined when no evaluator comes free, or the group is abandoned. */
  async run(
    dirty: readonly DirtyMessage[],
    onResults?: (results: ReadonlyMap<number, ColumnResults>) => void,
  ): Promise<ExchangeOutcome | undefined> {
    const { pool, limits, signal } = this.parts
    const session = await this.acquire()
    // After a rollback another transaction may be open.
    if (session && signal.aborted) pool.release(session)
    if (!session || signal.aborted) return undefined
    const { computed } = columnsOf(this.group.schema)
    const user = userOf(this.parts.write?.author ?? this.group.entries.at(-1)?.author)
    const request = { dirty, user, ...unfinished(computed) }
    const source = { connection: this.group.connection, schema: this.group.schema }
    const extraMs = triggerMs(dirty, this.group.schema)
    const exchange = new Exchange(session, source, {
      columnMs: Math.max(limits.computeMs / 2, extraMs),
      // What is left may be little, but some work must get done.
      totalMs: Math.max(this.leftMs, limits.computeMs / 10) + extraMs,
      onResults,
    })
    try {
      const outcome = await exchange.run(request, signal)
      this.parts.counts.addExchange(outcome)
      return outcome
    } finally {
      this.leftMs -= exchange.usedMs
      pool.release(session)
    }
  }

  private acquire(): Promise<EvaluatorSession | undefined> {
    const { pool, userId, signal } = this.parts
    return pool.acquire({ user: userId, document: this.group.docId }, signal)
  }
}
