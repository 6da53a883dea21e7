import type { DerivedGroup } from '../store/documents/derived-group'
import type { DerivationParts } from './derivation-parts'
import { columnsOf, isTrigger } from './dependencies/formula-columns'
import { Exchange, type ColumnResults, type ExchangeOutcome } from './exchange/exchange'
import { unfinished, userOf, type DirtyMessage } from './exchange/messages'

/** Milliseconds that a cell of a trigger column may take in a write of many rows, because it cannot be computed later. */
const TRIGGER_CELL_MS = 0.1
/** Milliseconds that trigger formulas have in any case: the transaction is open for so long. */
const MAX_TRIGGER_MS = 15_000

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

  /** Computes cells in Python. Undefined when no evaluator comes free, or the group is abandoned. */
  async run(
    dirty: readonly DirtyMessage[],
    onResults?: (results: ReadonlyMap<number, ColumnResults>) => void,
  ): Promise<ExchangeOutcome | undefined> {
    const { pool, userId, limits, signal } = this.parts
    const session = await pool.acquire({ user: userId, document: this.group.docId }, signal)
    // After a rollback another transaction may be open.
    if (session && signal.aborted) pool.release(session)
    if (!session || signal.aborted) return undefined
    const { computed } = columnsOf(this.group.schema)
    const user = userOf(this.group.entries.at(-1)?.author)
    const request = { dirty, user, ...unfinished(computed) }
    const source = { connection: this.group.connection, schema: this.group.schema }
    const triggerMs = this.triggerMs(dirty)
    const exchange = new Exchange(session, source, {
      columnMs: Math.max(limits.computeMs / 2, triggerMs),
      // What is left may be little, but some work must get done.
      totalMs: Math.max(this.leftMs, limits.computeMs / 10) + triggerMs,
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

  /** Milliseconds for the cells of trigger columns. */
  private triggerMs(dirty: readonly DirtyMessage[]): number {
    const { byRef } = columnsOf(this.group.schema)
    const cells = dirty.reduce((sum, message) => {
      const of = byRef.get(message.ref)
      return of && isTrigger(of) && 'rows' in message ? sum + message.rows.length : sum
    }, 0)
    return Math.min(MAX_TRIGGER_MS, cells * TRIGGER_CELL_MS)
  }
}
