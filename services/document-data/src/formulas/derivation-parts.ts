import type { LookupTotals } from './compiled/lookup-totals'
import type { DerivationCounts } from './derivation-counts'
import type { DueWrite } from './due-cells'
import type { EvaluatorPool } from './exchange/evaluator-pool'
import type { ComputeLimits } from './formula-limits'
import type { FormulaTimings } from './formula-timings'
import type { SliceSizes } from './next-slice'

/** What a derivation needs beside the group. */
export interface DerivationParts {
  readonly pool: EvaluatorPool
  readonly limits: ComputeLimits
  readonly timings: FormulaTimings
  readonly counts: DerivationCounts
  readonly totals: LookupTotals
  readonly sizes: SliceSizes
  /** The user whose share of the evaluators is used. */
  readonly userId: number
  readonly signal: AbortSignal
  /** When it computes due cells: the write that they belong to. */
  readonly write?: DueWrite
}
