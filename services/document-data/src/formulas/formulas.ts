import type { Logger } from '@sheaf/kit/logger'
import { Evaluators } from '../evaluator/evaluators'
import type { DerivedGroup } from '../store/documents/derived-group'
import type { WriteStages } from '../store/documents/shared-resources'
import type { Schema } from '../store/schema/schema'
import type { StageSignal } from '../store/sqlite/write-group'
import { compiledFormula, isCompiled } from './compiled/compiled-formula'
import { FormulaChecks } from './checks/formula-checks'
import type { ColumnOfTable } from './dependencies/formula-columns'
import { FormulaFigures } from './derivation-counts'
import { DocumentFormulas } from './document-formulas'
import { EvaluatorPool, type StartEvaluator } from './exchange/evaluator-pool'
import type { ComputeLimits, FormulaLimits } from './formula-limits'
import type { FormulaTiming } from './formula-timings'

/** Receive durations for metrics. */
export interface FormulaObservers {
  /** Called with the milliseconds of each derivation that needed an evaluator. */
  readonly onDerived?: (ms: number) => void
  /** Called with the milliseconds from the start of each evaluator to its first message. */
  readonly onStarted?: (ms: number) => void
}

/** Settings of Formulas. */
export interface FormulasOptions extends ComputeLimits, FormulaObservers {
  /** Evaluators at most; each serves one document. */
  readonly evaluators: number
  /** Absent where no evaluator can be started. */
  readonly start?: StartEvaluator
}

/** The formulas of all documents of an instance: the stage of a write that computes what depends on it. */
export class Formulas implements WriteStages, AsyncDisposable {
  readonly pool: EvaluatorPool
  /** Formulas that are computed without being stored. */
  readonly checks: FormulaChecks
  readonly figures = new FormulaFigures()
  private readonly documents = new Map<string, DocumentFormulas>()

  constructor(private readonly options: FormulasOptions) {
    this.pool = new EvaluatorPool(options.evaluators, options.start, options.onStarted)
    this.checks = new FormulaChecks(options.evaluators, options, options.start)
  }

  /** Prepares computing formulas in Python; no evaluator is started before it is needed. */
  static open(limits: FormulaLimits, log: Logger, observers: FormulaObservers = {}): Formulas {
    const processes = new Evaluators({ ...limits, log })
    const start: StartEvaluator = (handlers) => processes.start(handlers)
    return new Formulas({
      ...limits,
      ...observers,
      start: processes.isAvailable ? start : undefined,
    })
  }

  /** See WriteStages. */
  derive(group: DerivedGroup, signal: StageSignal): Promise<void> | undefined {
    return this.of(group.docId).derive(group, signal)
  }

  /** See WriteStages. */
  undone(docId: string): void {
    this.documents.get(docId)?.undone()
  }

  /** See WriteStages. */
  isAged(docId: string, schema: Schema): boolean {
    return this.documents.get(docId)?.isAged(schema) ?? false
  }

  /** See WriteStages. */
  closed(docId: string): void {
    this.documents.delete(docId)
    this.pool.end(docId)
    this.checks.end(docId)
  }

  /** What computing a column has taken since its document was opened. */
  timingOf(docId: string, columnRef: number): FormulaTiming | undefined {
    return this.documents.get(docId)?.timings.of(columnRef)
  }

  /** See `FormulaTimings.missedOf`. */
  missedOf(docId: string, columnRef: number): number {
    return this.documents.get(docId)?.timings.missedOf(columnRef) ?? 0
  }

  /** The part of a formula that needs Python; undefined for one that is compiled. */
  needsPython(schema: Schema, of: ColumnOfTable): string | undefined {
    if (!this.options.compiles) return 'the settings'
    const formula = compiledFormula(schema, of)
    return isCompiled(formula) ? undefined : formula.reason
  }

  /** Ends all evaluators. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.pool[Symbol.dispose]()
    this.checks[Symbol.dispose]()
    return Promise.resolve()
  }

  private of(docId: string): DocumentFormulas {
    const known = this.documents.get(docId)
    if (known) return known
    const made = new DocumentFormulas(docId, this.pool, this.options, (counts, ms) => {
      this.figures.add(counts)
      this.options.onDerived?.(ms)
    })
    this.documents.set(docId, made)
    return made
  }
}
