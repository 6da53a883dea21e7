import type { DerivedGroup } from '../store/documents/derived-group'
import { countUnfinished, type Schema } from '../store/schema/schema'
import type { StageSignal } from '../store/sqlite/write-group'
import { LookupTotals } from './compiled/lookup-totals'
import { Dependencies } from './dependencies/dependencies'
import { Derivation } from './derivation'
import type { DirtyMessage } from './exchange/messages'
import { changesStructure } from './dependencies/dirty-finder'
import type { EvaluatorPool } from './exchange/evaluator-pool'
import { DerivationCounts } from './derivation-counts'
import { computeDue } from './due-step'
import { columnsOf, hasFormulas } from './dependencies/formula-columns'
import type { ComputeLimits } from './formula-limits'
import { FormulaTimings } from './formula-timings'
import { hasFewRows, nextSlice, SliceSizes, type Slice } from './next-slice'

/** How often columns that depend on the time are computed again, in milliseconds. */
const VOLATILE_MS = 3_600_000

/** Called after each derivation that needed an evaluator, with its counts and milliseconds. */
export type ObserveDerivation = (counts: DerivationCounts, ms: number) => void

/** The formulas of one open document. */
export class DocumentFormulas {
  readonly timings = new FormulaTimings()
  private readonly totals = new LookupTotals()
  private readonly sizes = new SliceSizes()
  private dependencies: Dependencies | undefined
  private refreshedAt = Date.now()
  /** The user who wrote last, whose share of the evaluators is used; pending cells have no author of their own. */
  private userId: number | undefined

  constructor(
    private readonly docId: string,
    private readonly pool: EvaluatorPool,
    private readonly limits: ComputeLimits,
    private readonly observe?: ObserveDerivation,
  ) {}

  /** See WriteStages. Returns a promise only when an evaluator has to compute. */
  derive(group: DerivedGroup, stageSignal: StageSignal): Promise<void> | undefined {
    const { entries, tasks } = group
    this.totals.follow(
      group.connection,
      entries.flatMap(({ operations }) => operations),
    )
    const changes = entries.some(({ operations }) => changesStructure(operations))
    if (!changes && !hasFormulas(group.schema)) return undefined
    this.noteRows(group)
    const signal = stageSignal()
    const derivation = this.begin(group, signal)
    if (changes) derivation.tidy()
    derivation.renew(derivation.find().renewed)
    derivation.refreshSchema()
    if (tasks.has('volatile')) this.addVolatile(group, derivation)
    const request = derivation.request()
    if (request.length === 0 && !tasks.has('pending')) {
      derivation.finish()
      this.end(derivation)
      return undefined
    }
    return this.follow(group, derivation, request)
  }

  /** The transaction of the latest group was rolled back. */
  undone(): void {
    this.dependencies = undefined
    this.totals.clear()
    const session = this.pool.find(this.docId)
    if (session) session.isLost = true
  }

  /** True when columns that depend on the time are due. */
  isAged(schema: Schema): boolean {
    return (
      Date.now() - this.refreshedAt >= VOLATILE_MS &&
      columnsOf(schema).computed.some(({ column }) => column.isVolatile && !column.stopped)
    )
  }

  private begin(group: DerivedGroup, signal: AbortSignal): Derivation {
    this.dependencies ??= Dependencies.load(group.connection, group.schema)
    this.dependencies = this.dependencies.changed(group.schema, new Map())
    const { pool, limits, timings, totals, sizes } = this
    const counts = new DerivationCounts()
    if (this.userId === undefined || group.entries.length > 0) this.userId = group.findLatestUser()
    const parts = { pool, limits, timings, totals, sizes, counts, signal, userId: this.userId }
    return new Derivation(group, this.dependencies, parts)
  }

  /** Computes what is dirty; traces and counts it. */
  private async follow(
    group: DerivedGroup,
    derivation: Derivation,
    request: readonly DirtyMessage[],
  ): Promise<void> {
    const { counts, signal } = derivation.parts
    const trace = group.trace()
    const begun = performance.now()
    let failed = true
    try {
      await this.compute(group, derivation, request)
      failed = signal.aborted
    } finally {
      // After a rollback the schema of the group is another one.
      if (!failed) counts.pending = countUnfinished(group.schema)
      this.observe?.(counts, performance.now() - begun)
      trace?.ends(counts, failed)
    }
  }

  private async compute(
    group: DerivedGroup,
    derivation: Derivation,
    request: readonly DirtyMessage[],
  ): Promise<void> {
    const { signal } = derivation.parts
    await derivation.run(request)
    const isAsked = group.tasks.has('pending') && !signal.aborted
    const latest = isAsked ? await this.computeStep(group, derivation) : derivation
    // After a rollback another transaction may be open.
    if (signal.aborted) return
    this.end(latest)
    group.finish()
  }

  private end(derivation: Derivation): void {
    this.dependencies = derivation.newDependencies
  }

  private addVolatile(group: DerivedGroup, derivation: Derivation): void {
    this.refreshedAt = Date.now()
    for (const of of columnsOf(group.schema).computed)
      if (of.column.isVolatile && !of.column.stopped) derivation.add(of, 'all')
  }

  /** Computes one step of the due or else of the pending cells. Returns the latest derivation. */
  private async computeStep(group: DerivedGroup, first: Derivation): Promise<Derivation> {
    const due = await computeDue(group, first)
    const derivation = due?.derivation ?? first
    if (due?.isDone || derivation.parts.signal.aborted) return derivation
    const next = due ? new Derivation(group, derivation.newDependencies, first.parts) : first
    await this.computeSlice(group, next)
    return next
  }

  /** Computes one step of the pending cells. */
  private async computeSlice(group: DerivedGroup, derivation: Derivation): Promise<void> {
    const { sizes } = this
    const dependencies = derivation.newDependencies
    const slice = nextSlice(group.connection, group.schema, { dependencies, sizes })
    if (!slice) return
    const { ref } = slice.of.column
    if (slice.to < slice.from) return this.moveOn(derivation, slice)
    const step = await derivation.runSlice(slice.of, slice.from, slice.to)
    if (!step) return
    if (step.kind === 'done') {
      sizes.took(ref, step.rows, step.ms)
      const to = step.to ?? slice.to
      return this.moveOn(derivation, { ...slice, to, isLast: slice.isLast && to >= slice.to })
    }
    const isFew = hasFewRows(group.connection, slice)
    sizes.exceeded(ref)
    if (step.kind !== 'stopped' || !isFew) return
    const blamed = columnsOf(group.schema).byRef.get(step.column ?? ref) ?? slice.of
    derivation.stop(blamed, step.reason)
    await derivation.run()
  }

  private moveOn(derivation: Derivation, { of, to, isLast }: Slice): void {
    derivation.states.setPending(of.column.ref, isLast ? undefined : to)
    derivation.refreshSchema()
  }

  /** Lets the evaluator of the document, if it has one, read the changed rows again. */
  private noteRows({ entries }: DerivedGroup): void {
    const session = this.pool.find(this.docId)
    if (!session) return
    for (const { operations } of entries)
      for (const operation of operations) {
        const { tableRef } = operation
        if ('rowIds' in operation) session.noteRows(tableRef, operation.rowIds)
        else session.dropped.add(tableRef)
      }
  }
}
