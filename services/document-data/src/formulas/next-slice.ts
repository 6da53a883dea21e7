import { quoteId } from '../quoting/quote'
import type { Schema } from '../store/schema/schema'
import type { Connection } from '../store/sqlite/connections'
import { compiledFormula, isCompiled } from './compiled/compiled-formula'
import type { Dependencies } from './dependencies/dependencies'
import { columnsOf, type ColumnOfTable } from './dependencies/formula-columns'
import { FEW_ROWS } from './requested-cells'

/** Pending cells to compute in one step: rows with ids from `from` to `to`. */
export interface Slice {
  readonly of: ColumnOfTable
  readonly from: number
  readonly to: number
  /** True when no pending row follows. */
  readonly isLast: boolean
}

/** Rows of the first step of a column; later ones follow the time that it took. */
const FIRST_ROWS = 500
const MAX_ROWS = 50_000
/** Time that a step should take, in milliseconds: writes of the document wait for it. */
const STEP_MS = 150

/** Steps of a column whose times are compared. */
const STEPS = 4

/** How many rows of each column a step computes. */
export class SliceSizes {
  private readonly sizes = new Map<number, number>()
  /** Milliseconds for a row in the latest steps, by column ref. */
  private readonly times = new Map<number, number[]>()

  /** Rows of the next step. */
  of(columnRef: number): number {
    return this.sizes.get(columnRef) ?? FIRST_ROWS
  }

  /**
   * Computing and storing the cells of a step took so long. The start of an evaluator or a slow commit must not count:
   * smaller steps would not make them shorter, only more frequent. For the same reason the shortest of the latest steps
   * counts: other work on the machine makes steps longer than their cells do.
   */
  took(columnRef: number, rows: number, ms: number): void {
    const times = [...(this.times.get(columnRef) ?? []), ms / Math.max(rows, 1)].slice(-STEPS)
    this.times.set(columnRef, times)
    const fitting = STEP_MS / Math.max(Math.min(...times), 1e-6)
    this.set(columnRef, Math.min(fitting, this.of(columnRef) * 8))
  }

  /** So many rows exceeded a limit: those of a step, or of a write. */
  exceeded(columnRef: number, rows = this.of(columnRef)): void {
    this.times.delete(columnRef)
    this.set(columnRef, Math.min(this.of(columnRef), rows / 8))
  }

  private set(columnRef: number, rows: number): void {
    this.sizes.set(columnRef, Math.max(FEW_ROWS, Math.min(MAX_ROWS, Math.round(rows))))
  }
}

/**
 * The pending cells to compute next: of a column that reads no other pending one, if there is one. Undefined when none
 * is pending.
 */
export function nextSlice(
  connection: Connection,
  schema: Schema,
  { dependencies, sizes }: { dependencies: Dependencies; sizes: SliceSizes },
): Slice | undefined {
  const pending = columnsOf(schema).computed.filter(
    ({ column }) => column.pendingAfter !== undefined && !column.stopped,
  )
  const refs = new Set(pending.map(({ column }) => column.ref))
  const isReady = (of: ColumnOfTable) =>
    [
      ...dependencies.relationsOf(of.column.ref).reads.map(({ columnRef }) => columnRef),
      ...compiledReads(schema, of),
    ].every((ref) => ref === undefined || ref === of.column.ref || !refs.has(ref))
  const of = pending.find(isReady) ?? pending[0]
  return of && sliceOf(connection, of, sizes.of(of.column.ref))
}

/** What a compiled formula reads is known before it has run; it needs Python while any of that is pending. */
function compiledReads(schema: Schema, of: ColumnOfTable): readonly number[] {
  const formula = compiledFormula(schema, of)
  return isCompiled(formula) ? [...formula.columns.keys()] : []
}

function sliceOf(connection: Connection, of: ColumnOfTable, rows: number): Slice {
  const { pendingAfter = 0 } = of.column
  const from = `FROM ${quoteId(of.table.tableId)}`
  const [to, next] = connection
    .pluck<number>(`SELECT id ${from} WHERE id > ? ORDER BY id LIMIT 2 OFFSET ${rows - 1}`)
    .all(pendingAfter)
  const last = connection.pluck<number | null>(`SELECT max(id) ${from}`).get() ?? 0
  return {
    of,
    from: pendingAfter + 1,
    to: to ?? Math.max(pendingAfter, last),
    isLast: next === undefined,
  }
}

/** True when a step has so few rows that its formula is stopped if it exceeds a limit. */
export function hasFewRows(connection: Connection, { of, from, to }: Slice): boolean {
  const sql = `SELECT count(*) FROM ${quoteId(of.table.tableId)} WHERE id BETWEEN ? AND ?`
  return (connection.pluck<number>(sql).get(from, to) ?? 0) <= FEW_ROWS
}
