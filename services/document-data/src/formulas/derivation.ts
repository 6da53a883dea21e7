import { DerivedGroup } from '../store/documents/derived-group'
import type { StopReason } from '../values/error-cells'
import {
  computeCompiled,
  computeInParts,
  findComputable,
  type ComputedColumn,
} from './compiled-step'
import type { Dependencies } from './dependencies/dependencies'
import { CellSet, type DirtyColumn } from './dependencies/dirty-cells'
import { DirtyFinder } from './dependencies/dirty-finder'
import type { DerivationParts } from './derivation-parts'
import { Evaluations, type SliceOutcome } from './evaluations'
import type { ColumnResults, ExchangeOutcome } from './exchange/exchange'
import { columnsOf, isTrigger, type ColumnOfTable } from './dependencies/formula-columns'
import { FormulaStates } from './formula-states'
import { LateTriggers, type ChangedResults } from './late-triggers'
import { learn } from './learning'
import { microsOf, type DirtyMessage, type DoneMessage } from './exchange/messages'
import { countCells, FEW_ROWS, LAST_ROW, requestCells } from './requested-cells'

type Results = ReadonlyMap<number, ColumnResults>

/** Times that cells may become dirty because keys that formulas look up were computed. */
const MAX_ROUNDS = 50

/** Computes the dirty cells of one group of writes, and stores the results in its transaction. */
export class Derivation {
  readonly states: FormulaStates
  /** Milliseconds that computing cells has taken. */
  computedMs = 0
  readonly late: LateTriggers
  private readonly done = new CellSet()
  private readonly settled = new CellSet()
  /** Refs of columns of which some cells were left to Python. */
  private readonly forPython = new Set<number>()
  private readonly evaluations: Evaluations
  private finder: DirtyFinder
  private retries = 1

  constructor(
    private readonly group: DerivedGroup,
    private dependencies: Dependencies,
    readonly parts: DerivationParts,
  ) {
    this.states = new FormulaStates(group.connection, (change) => group.noteDue(change))
    this.late = new LateTriggers(group, this.settled, parts)
    this.evaluations = new Evaluations(group, parts)
    this.finder = this.newFinder()
  }

  /** The dependencies with what was learned. */
  get newDependencies(): Dependencies {
    return this.dependencies
  }

  /** Finds what depends on the writes of the group. */
  find(): DirtyFinder {
    this.late.due.follow(this.group.entries, this.group.schema)
    this.finder.addEntries(this.group.entries)
    return this.finder
  }

  /** Forgets the columns that are gone, or have no formulas any more. */
  tidy(): void {
    this.states.tidy()
    this.late.due.tidy()
  }

  /** Forgets what is known of these columns, by ref; all of their cells must be dirty. */
  renew(columnRefs: ReadonlySet<number>): void {
    if (columnRefs.size === 0) return
    this.states.renew(columnRefs)
    this.dependencies = this.dependencies.without(this.group.schema, columnRefs)
  }

  /** Adds cells to compute that no write of the group concerns. */
  add(of: ColumnOfTable, rows: readonly number[] | 'all'): void {
    this.finder.add(of, rows, DerivedGroup.OWN_ENTRY)
  }

  /** Adds cells whose trigger formula runs. */
  addFired(of: ColumnOfTable, rows: readonly number[]): void {
    this.finder.addFired(of, rows, DerivedGroup.OWN_ENTRY)
  }

  /** True when there is an evaluator at present. */
  hasEvaluator(): Promise<boolean> {
    return this.evaluations.hasEvaluator()
  }

  /** The cells to compute; those of trigger formulas that have to wait become due. */
  request(): DirtyMessage[] {
    this.late.hold(this.finder.dirty)
    return requestCells(this.group.connection, this.finder.dirty)
  }

  /**
   * Computes the dirty cells; those that exceed a limit become pending, or their formula is stopped. `known` is what
   * `request` has returned since the last change.
   */
  async run(known?: readonly DirtyMessage[]): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const isChanged = this.deferExcess() || round > 0
      const request = (isChanged ? undefined : known) ?? this.request()
      if (request.length === 0) break
      if (this.computeCompiled(request)) continue
      const outcome = await this.evaluations.run(request)
      // After a rollback another transaction may be open.
      if (this.parts.signal.aborted) return
      if (!outcome) break
      if (outcome.kind === 'done') this.finishRound(outcome)
      else this.giveUp(outcome)
    }
    // Without an evaluator, and after rounds that find ever more cells.
    if (this.request().length > 0) this.deferAll()
    this.finish()
  }

  /** Computes these cells, which are pending, without what depends on them. Undefined without an evaluator. */
  async runSlice(of: ColumnOfTable, from: number, to: number): Promise<SliceOutcome | undefined> {
    const slice = { ref: of.column.ref, from, to }
    const { compiles } = this.parts.limits
    const compiled = compiles ? findComputable(this.group, slice.ref) : undefined
    if (!compiled) return this.runInPython(of, slice)
    const { signal, totals } = this.parts
    const take = (computed: ComputedColumn) => this.fireLater(of, this.take(computed))
    const steps = { signal, totals, take }
    const parts = await computeInParts(this.group, compiled, slice, steps)
    const { left, rows, ms, to: end } = parts
    if (signal.aborted) return undefined
    if (left.length === 0) return { kind: 'done', rows, ms, to: end }
    const outcome = await this.runInPython(of, { ref: slice.ref, rows: left })
    return outcome?.kind === 'done' ? { ...outcome, to: end } : outcome
  }

  private async runInPython(
    of: ColumnOfTable,
    wanted: DirtyMessage,
  ): Promise<SliceOutcome | undefined> {
    this.finder = this.newFinder()
    const stored = { ms: 0, failure: undefined as Error | undefined }
    // The evaluator goes on computing while results are stored. Those of a step that fails are of pending cells.
    const outcome = await this.evaluations.run([wanted], (results) => {
      const begun = performance.now()
      this.parts.counts.addResults(results)
      try {
        this.fireLater(of, this.store(results))
      } catch (error) {
        stored.failure = error as Error
        throw error
      }
      stored.ms += performance.now() - begun
    })
    if (stored.failure !== undefined) throw stored.failure
    if (this.parts.signal.aborted) return undefined
    this.refreshSchema()
    if (outcome?.kind !== 'done') return outcome
    this.learn(outcome.done)
    const { timings } = outcome.done
    const rows = timings.find(({ column }) => column === of.column.ref)?.cells ?? 0
    return { kind: 'done', rows, ms: Math.max(microsOf(timings) / 1_000, stored.ms) }
  }

  /** Trigger formulas are due that name a column whose pending cells were computed. */
  private fireLater({ column }: ColumnOfTable, changed: readonly ChangedResults[]): void {
    const firedBy = { ...this.states.readFiredBy(column.ref), dependencies: this.dependencies }
    this.late.fireLater(changed, this.finder.dirty, firedBy)
  }

  /** Computes the cells that need no evaluator. Returns true if there were any: they are not dirty any more. */
  private computeCompiled(request: readonly DirtyMessage[]): boolean {
    let isAny = false
    if (!this.parts.limits.compiles) return isAny
    const compiling = { ...this.parts, forPython: this.forPython }
    for (const computed of computeCompiled(this.group, request, compiling)) {
      isAny = true
      const { ref } = computed.of.column
      const dirty = this.finder.dirty.columns.get(ref)
      if (!dirty) continue
      const changed = this.take(computed, (row) => dirty.ownerOf(row))
      this.fire(changed, (_, row) => dirty.ownerOf(row))
      this.markComputed([dirty])
      this.refreshSchema()
      this.finder.dirty.columns.delete(ref)
      const now = columnsOf(this.group.schema).byRef.get(ref)
      if (computed.left.length > 0) this.forPython.add(ref)
      const rest = dirty.after(computed.asked, computed.left)
      if (now && !rest.isEmpty) this.finder.dirty.column(now).addAll(rest)
      for (const { cells } of changed) this.finder.fireBy(ref, cells.rowIds)
      this.addLookups(changed, (row) => dirty.ownerOf(row))
    }
    return isAny
  }

  /** Stores cells that were computed without an evaluator, which has to read them again. */
  private take(
    { of, results, done }: ComputedColumn,
    ownerOf?: (row: number) => number,
  ): ChangedResults[] {
    const all = new Map([[of.column.ref, results]])
    this.parts.counts.addResults(all)
    this.learn(done, true)
    const changed = this.store(all, ownerOf && ((_, row) => ownerOf(row)))
    const session = this.parts.pool.find(this.group.docId)
    for (const { cells } of changed) session?.noteRows(of.table.ref, cells.rowIds)
    return changed
  }

  /** What is left has no row to compute, or is pending. */
  finish(): void {
    this.markComputed(this.finder.dirty.columns.values())
    this.refreshSchema()
  }

  /** Stops a formula: its cells become an error, and what depends on them is computed again. */
  stop(of: ColumnOfTable, reason: StopReason): void {
    this.states.setStopped(of.column.ref, reason)
    this.parts.counts.stops[reason]++
    const dirty = this.finder.dirty.columns.get(of.column.ref)
    if (dirty && isTrigger(of)) this.miss(dirty)
    this.refreshSchema()
    if (isTrigger(of)) return
    const now = columnsOf(this.group.schema).byRef.get(of.column.ref)
    if (now) this.finder.add(now, 'all', DerivedGroup.OWN_ENTRY)
    this.finder.dirty.columns.delete(of.column.ref)
  }

  /** Must follow changes of what the schema contains. */
  refreshSchema(): void {
    const isChanged = [this.states.takeChanged(), this.late.due.takeChanged()].includes(true)
    if (!isChanged) return
    this.group.schemaChanged()
    this.dependencies = this.dependencies.changed(this.group.schema, new Map())
    const { dirty } = this.finder
    this.finder = this.newFinder()
    const { byRef } = columnsOf(this.group.schema)
    for (const [ref, column] of dirty.columns) {
      const of = byRef.get(ref)
      if (!of) continue
      const moved = this.finder.dirty.column(of)
      moved.all = column.all
      for (const [row, seq] of column.rows) moved.rows.set(row, seq)
      for (const row of column.fired) moved.fired.add(row)
    }
  }

  /** False after an undo, which restores what trigger formulas have changed. */
  private get runsTriggers(): boolean {
    return this.parts.write !== undefined || this.group.entries.at(-1)?.author.cause !== 'undo'
  }

  private newFinder(): DirtyFinder {
    const { connection, schema } = this.group
    const maxRows = this.parts.limits.writeCells
    const { dependencies, settled, runsTriggers } = this
    const parts = { connection, schema, dependencies, maxRows, settled, runsTriggers }
    return new DirtyFinder(parts)
  }

  /** Makes columns pending whose dirty cells are more than a write computes. Returns true if there are any. */
  private deferExcess(): boolean {
    const counted = [...this.finder.dirty.columns.values()]
      .map((dirty) => ({ dirty, count: this.count(dirty) }))
      .sort((a, b) => a.count - b.count)
    let left = this.parts.limits.writeCells
    let isExceeded = false
    for (const { dirty, count } of counted) {
      // Cells of trigger columns cannot be pending: they are data.
      if (isTrigger(dirty.of)) continue
      left -= count
      if (left >= 0 || count === 0) continue
      isExceeded = true
      this.defer(dirty)
    }
    if (isExceeded) this.refreshSchema()
    return isExceeded
  }

  private count(dirty: DirtyColumn): number {
    return countCells(this.group.connection, dirty)
  }

  private deferAll(): void {
    for (const dirty of this.finder.dirty.columns.values())
      if (this.count(dirty) > 0) this.defer(dirty)
    this.refreshSchema()
  }

  /** Makes the dirty cells of a column, and those of all rows after the first of them, pending. */
  private defer(dirty: DirtyColumn): void {
    const { column } = dirty.of
    if (isTrigger(dirty.of)) return this.miss(dirty)
    const rows = dirty.all === undefined ? [...dirty.rows.keys()] : [1]
    const first = rows.reduce((least, row) => Math.min(least, row), LAST_ROW)
    this.states.setPending(column.ref, Math.min(first - 1, column.pendingAfter ?? LAST_ROW))
    this.late.noteDeferred(dirty, this.states)
    // Rows that will be found by other keys are not known before the column is computed.
    if (this.dependencies.lookupsBy(column.ref).length > 0)
      this.finder.add(dirty.of, 'all', dirty.all ?? DerivedGroup.OWN_ENTRY)
  }

  /** Leaves cells of a trigger column as they are, for later. */
  private miss(dirty: DirtyColumn): void {
    this.late.miss(dirty)
    this.finder.dirty.columns.delete(dirty.of.column.ref)
  }

  /** Stores the results, and finds the cells that depend on keys that are among them. */
  private finishRound(outcome: ExchangeOutcome & { kind: 'done' }): void {
    this.learn(outcome.done)
    const { dirty } = this.finder
    const ownerOf = (ref: number, row: number) => dirty.columns.get(ref)?.ownerOf(row) ?? 0
    const changed = this.store(outcome.results, ownerOf)
    this.late.computed(outcome.results)
    this.fire(changed, ownerOf)
    for (const [ref, { rowIds }] of outcome.results) this.done.add(ref, rowIds)
    for (const [ref, { of, rows }] of dirty.columns)
      if (isTrigger(of)) this.settled.add(ref, rows.keys())
    this.markComputed(dirty.columns.values())
    this.finder = this.newFinder()
    for (const one of changed) {
      const owner = dirty.columns.get(one.of.column.ref)
      this.addLookups([one], (row) => owner?.ownerOf(row) ?? 0)
    }
  }

  /** Finds the cells that depend on keys that changed. */
  private addLookups(changed: readonly ChangedResults[], ownerOf: (row: number) => number): void {
    const done = (ref: number, row: number) => this.done.has(ref, row)
    for (const { of, cells } of changed) {
      const seq = cells.rowIds.reduce((last, row) => Math.max(last, ownerOf(row)), 0)
      this.finder.addLookups(of, cells.rowIds, { seq, done })
    }
  }

  /** Trigger formulas that name a changed column are due where they are not computed with it. */
  private fire(
    changed: readonly ChangedResults[],
    ownerOf: (ref: number, row: number) => number,
  ): void {
    const fires = this.runsTriggers ? 'all' : 'none'
    const { dependencies } = this
    const writeOf = (ref: number, row: number) => this.late.find(ownerOf(ref, row))
    this.late.fire(changed, { dirty: this.finder.dirty, fires, dependencies, writeOf })
  }

  private learn(done: DoneMessage, isCompiled = false): void {
    const { schema } = this.group
    const learned = learn(done, { schema, states: this.states, dependencies: this.dependencies })
    this.parts.timings.add(done.timings, isCompiled)
    this.computedMs += microsOf(done.timings) / 1_000
    this.refreshSchema()
    this.dependencies = this.dependencies.changed(this.group.schema, learned)
  }

  private store(
    results: Results,
    ownerOf: (ref: number, row: number) => number = () => DerivedGroup.OWN_ENTRY,
  ): ChangedResults[] {
    const { byRef } = columnsOf(this.group.schema)
    const all: ChangedResults[] = []
    for (const [ref, computed] of results) {
      const of = byRef.get(ref)
      // An evaluator is not trusted: it may send cells that it was not asked for.
      if (!of || (isTrigger(of) && !this.finder.dirty.columns.has(ref))) continue
      const owners = (row: number) => ownerOf(ref, row)
      const cells = this.group.write({ ...of, ...computed, owners })
      if (cells.rowIds.length === 0) continue
      all.push({ of, cells })
      this.parts.totals.followCells(this.group.connection, of, cells)
    }
    return all
  }

  /** A column that was dirty as a whole is computed to its end, unless it is pending. */
  private markComputed(columns: Iterable<DirtyColumn>): void {
    for (const { of, all } of columns)
      if (all !== undefined && of.column.pendingAfter === undefined)
        this.states.setPending(of.column.ref, undefined)
  }

  /** After a limit was exceeded: the column to blame is stopped, or computed in smaller steps. */
  private giveUp(outcome: Exclude<ExchangeOutcome, { kind: 'done' }>): void {
    const of = columnsOf(this.group.schema).byRef.get(outcome.column ?? 0)
    if (outcome.kind === 'failed' && this.retries-- > 0) return
    if (!of || outcome.kind === 'late') return this.deferAll()
    const dirty = this.finder.dirty.columns.get(of.column.ref)
    const count = dirty ? this.count(dirty) : 0
    if (dirty && count > FEW_ROWS) {
      if (!this.parts.write) this.parts.sizes.exceeded(of.column.ref, count)
      this.defer(dirty)
      return this.refreshSchema()
    }
    this.stop(of, outcome.kind === 'stopped' ? outcome.reason : 'memory')
  }
}
