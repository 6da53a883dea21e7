import type { DeriveCounts } from '../store/documents/write-trace'
import { isStoredError, type StopReason } from '../values/error-cells'
import type { ColumnResults, ExchangeOutcome } from './exchange/exchange'

/** Counts of what one derivation does, for metrics and traces: no names, values or formulas. */
export class DerivationCounts implements DeriveCounts {
  cells = 0
  /** Cells that became errors. */
  errors = 0
  pending = 0
  readonly exchanges: Record<ExchangeOutcome['kind'], number> = {
    done: 0,
    stopped: 0,
    late: 0,
    failed: 0,
  }
  readonly stops: Record<StopReason, number> = { time: 0, memory: 0 }
  private readonly computed = new Set<number>()

  /** See DeriveCounts. */
  get columns(): number {
    return this.computed.size
  }

  /** See DeriveCounts. */
  get rounds(): number {
    return sum(this.exchanges)
  }

  /** See DeriveCounts. */
  get stopped(): number {
    return sum(this.stops)
  }

  /** Adds an exchange. Counts results, because formulas can tamper with the timings of their evaluator. */
  addExchange(outcome: ExchangeOutcome): void {
    this.exchanges[outcome.kind]++
    if (outcome.kind === 'done') this.addResults(outcome.results)
  }

  /** Adds computed cells. */
  addResults(results: ReadonlyMap<number, ColumnResults>): void {
    for (const [columnRef, { values }] of results) {
      this.computed.add(columnRef)
      this.cells += values.length
      for (const value of values) if (isStoredError(value)) this.errors++
    }
  }
}

/** Counts of all derivations since the start of the service. */
export class FormulaFigures {
  cells = 0
  errors = 0
  readonly exchanges: Record<ExchangeOutcome['kind'], number> = {
    done: 0,
    stopped: 0,
    late: 0,
    failed: 0,
  }
  readonly stops: Record<StopReason, number> = { time: 0, memory: 0 }

  /** Adds what a derivation has done. */
  add(counts: DerivationCounts): void {
    this.cells += counts.cells
    this.errors += counts.errors
    addTo(this.exchanges, counts.exchanges)
    addTo(this.stops, counts.stops)
  }
}

function addTo<Name extends string>(
  total: Record<Name, number>,
  counts: Readonly<Record<Name, number>>,
): void {
  for (const name of Object.keys(counts) as Name[]) total[name] += counts[name]
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
