import {
  Histogram,
  isMetering,
  Observed,
  secondsBounds,
  together,
} from '@sheaf/kit/telemetry/metrics'
import type { FormulaObservers, Formulas } from './formulas/formulas'
import type { DocumentStore } from './store/documents/document-store'

const evaluators = {
  running: new Observed('gauge', {
    name: 'sheaf.evaluators.running',
    description: 'Evaluators, each a process that computes the formulas of one document',
    unit: '{process}',
  }),
  limit: new Observed('gauge', {
    name: 'sheaf.evaluators.limit',
    description: 'Evaluators that may run at once',
    unit: '{process}',
  }),
  waiting: new Observed('gauge', {
    name: 'sheaf.evaluators.waiting',
    description: 'Documents that wait for an evaluator',
    unit: '{document}',
  }),
  memory: new Observed('gauge', {
    name: 'sheaf.evaluators.memory',
    description: 'Resident memory of all evaluators, including those that check formulas',
    unit: 'By',
  }),
  started: new Observed('counter', {
    name: 'sheaf.evaluators.started',
    description: 'Evaluators that were started',
    unit: '{process}',
  }),
  ended: new Observed<'cause'>('counter', {
    name: 'sheaf.evaluators.ended',
    description: 'Evaluators that have ended, by cause: unused, stopped, memory or failure',
    unit: '{process}',
    labels: ['cause'],
  }),
  start: new Histogram(
    {
      name: 'sheaf.evaluators.start.duration',
      description: 'Time from the start of an evaluator to its first message',
      unit: 's',
    },
    secondsBounds,
  ),
}

const formulas = {
  derive: new Histogram(
    {
      name: 'sheaf.formulas.derive.duration',
      description: 'Time to compute the formulas that depend on the writes of a transaction',
      unit: 's',
    },
    secondsBounds,
  ),
  exchanges: new Observed<'outcome'>('counter', {
    name: 'sheaf.formulas.exchanges',
    description: 'Exchanges with evaluators, by outcome: done, stopped, late or failed',
    unit: '{exchange}',
    labels: ['outcome'],
  }),
  cells: new Observed<'result'>('counter', {
    name: 'sheaf.formulas.cells',
    description: 'Computed cells, by result: value or error',
    unit: '{cell}',
    labels: ['result'],
  }),
  stopped: new Observed<'cause'>('counter', {
    name: 'sheaf.formulas.stopped',
    description: 'Formulas that were stopped, by the limit that they exceeded: time or memory',
    unit: '{formula}',
    labels: ['cause'],
  }),
  pendingColumns: new Observed('gauge', {
    name: 'sheaf.formulas.pending_columns',
    description: 'Columns of open documents with cells that are still to be computed',
    unit: '{column}',
  }),
  pendingDocuments: new Observed('gauge', {
    name: 'sheaf.formulas.pending_documents',
    description: 'Open documents with cells that are still to be computed',
    unit: '{document}',
  }),
}

/** Record the durations of derivations and of starts of evaluators; empty while metrics are disabled. */
export const formulaObservers: FormulaObservers = isMetering()
  ? {
      onDerived: (ms) => formulas.derive.record(ms / 1_000, {}),
      onStarted: (ms) => evaluators.start.record(ms / 1_000, {}),
    }
  : {}

/** Sources of the metrics of formulas. */
export interface FormulaObservables {
  readonly formulas: Pick<Formulas, 'pool' | 'checks' | 'figures'>
  readonly documents: Pick<DocumentStore, 'unfinishedColumns'>
}

/** Exposes the state of evaluators and formulas as metrics until disposed of. */
export function observeFormulas(ctx: FormulaObservables): Disposable {
  const { pool, checks, figures } = ctx.formulas
  const pending = () => ctx.documents.unfinishedColumns.filter((count) => count > 0)
  return together([
    evaluators.running.observe((report) => report(pool.running)),
    evaluators.limit.observe((report) => report(pool.size)),
    evaluators.waiting.observe((report) => report(pool.queued)),
    evaluators.memory.observe((report) => report(pool.residentBytes + checks.pool.residentBytes)),
    evaluators.started.observe((report) => report(pool.figures.started)),
    evaluators.ended.observe((report) => {
      for (const [cause, count] of Object.entries(pool.figures.ended)) report(count, { cause })
    }),
    formulas.exchanges.observe((report) => {
      for (const [outcome, count] of Object.entries(figures.exchanges)) report(count, { outcome })
    }),
    formulas.cells.observe((report) => {
      report(figures.cells - figures.errors, { result: 'value' })
      report(figures.errors, { result: 'error' })
    }),
    formulas.stopped.observe((report) => {
      for (const [cause, count] of Object.entries(figures.stops)) report(count, { cause })
    }),
    formulas.pendingColumns.observe((report) => {
      report(pending().reduce((sum, count) => sum + count, 0))
    }),
    formulas.pendingDocuments.observe((report) => report(pending().length)),
  ])
}
