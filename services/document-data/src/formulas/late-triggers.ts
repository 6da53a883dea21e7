import type { ChangedCells, DerivedGroup } from '../store/documents/derived-group'
import type { Schema } from '../store/schema/schema'
import { triggerColumnsOf, type TriggerColumn } from '../store/schema/trigger-columns'
import type { FiredBy } from '../store/log/due-changes'
import type { Dependencies } from './dependencies/dependencies'
import type { CellSet, DirtyCells, DirtyColumn } from './dependencies/dirty-cells'
import type { ColumnOfTable } from './dependencies/formula-columns'
import type { DerivationParts } from './derivation-parts'
import { DueCells, type DueWrite } from './due-cells'
import type { ColumnResults } from './exchange/exchange'
import type { FormulaStates } from './formula-states'
import { waitsAfter } from './next-due'
import { LAST_ROW } from './requested-cells'

/** Results of a column that differ from what was stored. */
export interface ChangedResults {
  readonly of: ColumnOfTable
  readonly cells: ChangedCells
}

/** Which trigger formulas changed results run. */
export interface Firing {
  /** Cells that are computed together with the results: their formulas have run if they had to. */
  readonly dirty: DirtyCells
  readonly fires: FiredBy['fires']
  readonly dependencies: Dependencies
  /** The write that each cell belongs to. */
  readonly writeOf: (columnRef: number, row: number) => DueWrite
}

/** The cells of trigger formulas that a derivation leaves to later ones: they become due. */
export class LateTriggers {
  readonly due: DueCells
  /** Columns of which this derivation computes no cells any more. */
  private readonly missed = new Set<number>()

  constructor(
    private readonly group: DerivedGroup,
    private readonly settled: CellSet,
    private readonly parts: DerivationParts,
  ) {
    this.due = new DueCells(group.connection, (change) => group.noteDue(change))
  }

  /** True when all cells of the column that had to be computed were. */
  isComputed(columnRef: number): boolean {
    return !this.missed.has(columnRef)
  }

  /**
   * Takes out the cells that have to wait. Those whose formula may run, depending on results, wait for the results. Due
   * cells that are computed now have waited for all but what follows them.
   */
  hold({ columns }: DirtyCells): void {
    const { schema } = this.group
    const { byRef } = triggerColumnsOf(schema)
    for (const dirty of columns.values()) {
      const { ref } = dirty.of.column
      const trigger = byRef.get(ref)
      if (!trigger) continue
      if (this.missed.has(ref) || trigger.isStopped) this.postpone(dirty, () => true)
      else {
        const upTo = waitsAfter(trigger, schema)
        const isNow = (row: number) => this.parts.write !== undefined && dirty.fired.has(row)
        if (upTo !== LAST_ROW) this.postpone(dirty, (row) => row > upTo && !isNow(row))
      }
    }
  }

  /** Computes no cells of the column in this derivation. */
  miss(dirty: DirtyColumn): void {
    this.missed.add(dirty.of.column.ref)
    this.postpone(dirty, () => true)
  }

  /** Cells that are computed are not due any more. */
  computed(results: ReadonlyMap<number, ColumnResults>): void {
    const { byRef } = triggerColumnsOf(this.group.schema)
    for (const [ref, { rowIds }] of results)
      if (byRef.get(ref)?.column.hasDue) this.due.remove(ref, rowIds)
  }

  /** Trigger formulas that name a column whose results differ are due where they did not run together with it. */
  fire(changed: readonly ChangedResults[], firing: Firing): void {
    const { schema } = this.group
    const { byDep } = triggerColumnsOf(schema)
    for (const { of, cells } of changed) {
      const { ref } = of.column
      for (const trigger of byDep.get(ref) ?? []) {
        if (!isFired(trigger, ref, firing, schema)) continue
        const known = firing.dirty.columns.get(trigger.column.ref)?.rows
        const rows = cells.rowIds.filter(
          (row) => !known?.has(row) && !this.settled.has(trigger.column.ref, row),
        )
        this.keep(trigger.column.ref, rows, (row) => firing.writeOf(ref, row))
      }
    }
  }

  /** Results of a column that were computed later than its write. Trigger formulas that name it are due. */
  fireLater(
    changed: readonly ChangedResults[],
    dirty: DirtyCells,
    { seq, fires, dependencies }: FiredBy & Pick<Firing, 'dependencies'>,
  ): void {
    const write = this.due.readWrite(seq)
    this.fire(changed, { dirty, fires, dependencies, writeOf: () => write })
  }

  /** Remembers why a column becomes pending, for the trigger formulas that name it. */
  noteDeferred({ of: { column }, all, rows }: DirtyColumn, states: FormulaStates): void {
    if (!triggerColumnsOf(this.group.schema).byDep.has(column.ref)) return
    const isUndo = this.group.entries.at(-1)?.author.cause === 'undo'
    if (isUndo) return states.setFiredBy(column.ref, { seq: 0, fires: 'none' })
    const write = this.find(all ?? [...rows.values()].reduce((last, of) => Math.max(last, of), 0))
    this.due.keepAuthor(write)
    states.setFiredBy(column.ref, { seq: write.seq, fires: this.parts.write ? 'others' : 'all' })
  }

  /** Takes cells out; those whose formula runs in any case become due. */
  private postpone({ of, rows, fired }: DirtyColumn, isLate: (row: number) => boolean): void {
    const { ref } = of.column
    const late = [...rows.keys()].filter(isLate)
    const due = late.filter((row) => fired.has(row))
    this.keep(ref, due, (row) => this.find(rows.get(row) ?? 0))
    this.settled.add(ref, due)
    for (const row of late) rows.delete(row)
  }

  private keep(columnRef: number, rowIds: readonly number[], writeOf: (row: number) => DueWrite) {
    const bySeq = new Map<number, { write: DueWrite; rows: number[] }>()
    for (const row of rowIds) {
      const write = writeOf(row)
      const known = bySeq.get(write.seq)
      if (known) known.rows.push(row)
      else bySeq.set(write.seq, { write, rows: [row] })
    }
    for (const { write, rows } of bySeq.values()) {
      const kept = this.due.add(columnRef, rows, write)
      if (kept < rows.length) this.parts.timings.miss(columnRef, rows.length - kept)
    }
  }

  /** The write with this seq: one of the group, or the one whose due cells are computed. */
  find(seq: number): DueWrite {
    if (this.parts.write) return this.parts.write
    return { seq, author: this.group.entries.find((entry) => entry.seq === seq)?.author ?? {} }
  }
}

/** Results that follow a trigger formula which was late must not run it again and again. */
function isFired(
  trigger: TriggerColumn,
  columnRef: number,
  { fires, dependencies }: Firing,
  schema: Schema,
): boolean {
  if (fires !== 'others') return fires === 'all'
  const { byDep } = triggerColumnsOf(schema)
  const reached = new Set([trigger.column.ref])
  // A set is gone through with what is added meanwhile.
  for (const ref of reached) {
    const users = [...dependencies.readersOf(ref), ...dependencies.lookupsBy(ref)]
    for (const { column } of [...users.map(({ of }) => of), ...(byDep.get(ref) ?? [])])
      reached.add(column.ref)
  }
  return !reached.has(columnRef)
}
