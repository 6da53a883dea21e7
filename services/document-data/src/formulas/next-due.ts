import type { Schema } from '../store/schema/schema'
import { triggerColumnsOf, type TriggerColumn } from '../store/schema/trigger-columns'
import type { Connection } from '../store/sqlite/connections'
import { columnsOf } from './dependencies/formula-columns'
import { LAST_ROW } from './requested-cells'

/** Due cells of one column. */
export interface DueColumn {
  readonly of: TriggerColumn
  readonly rowIds: readonly number[]
}

/** Due cells that are computed together: they belong to one write. */
export interface DueStep {
  readonly seq: number
  readonly columns: readonly DueColumn[]
}

/**
 * The cells of a trigger column in rows with a greater id wait: of a stopped formula all of them, and those for which a
 * formula that it names is pending, or waits itself.
 */
export function waitsAfter(trigger: TriggerColumn, schema: Schema): number {
  return rowsOf(trigger, schema, new Set())
}

function rowsOf(trigger: TriggerColumn, schema: Schema, seen: Set<number>): number {
  if (trigger.isStopped) return 0
  seen.add(trigger.column.ref)
  const { byRef } = columnsOf(schema)
  const triggers = triggerColumnsOf(schema).byRef
  let last = LAST_ROW
  for (const ref of trigger.deps) {
    const { pendingAfter, stopped } = byRef.get(ref)?.column ?? {}
    if (pendingAfter !== undefined && !stopped) last = Math.min(last, pendingAfter)
    const named = triggers.get(ref)
    if (named && !named.isStopped && !seen.has(ref))
      last = Math.min(last, rowsOf(named, schema, seen))
  }
  return last
}

/**
 * The due cells to compute next: those of the earliest write. Columns have the same rows, so that formulas which name
 * each other run together. `sizeOf` is the number of rows that suits a column. Undefined when none can be computed.
 */
export function nextDue(
  connection: Connection,
  schema: Schema,
  sizeOf: (columnRef: number) => number,
): DueStep | undefined {
  const open = triggerColumnsOf(schema)
    .all.filter(({ column }) => column.hasDue)
    .map((of) => ({ of, upTo: waitsAfter(of, schema) }))
  // In the order of an index by seq: by row, all cells would be sorted in each step.
  const first = connection.pluck<number>(
    'SELECT seq FROM _sheaf_due_cells WHERE column_ref = ? AND +row <= ? ORDER BY seq LIMIT 1',
  )
  const seqs = open.flatMap(({ of, upTo }) => first.get(of.column.ref, upTo) ?? [])
  if (seqs.length === 0) return undefined
  const seq = Math.min(...seqs)
  const rows = connection.pluck<number>(
    'SELECT row FROM _sheaf_due_cells WHERE seq = ? AND column_ref = ? AND row <= ? ORDER BY row LIMIT ?',
  )
  const found = open.flatMap(({ of, upTo }) => {
    const size = sizeOf(of.column.ref)
    const rowIds = rows.all(seq, of.column.ref, upTo, size)
    return rowIds.length > 0 ? { of, rowIds, isCut: rowIds.length === size } : []
  })
  const cuts = found.flatMap(({ rowIds, isCut }) => (isCut ? (rowIds.at(-1) ?? 0) : []))
  const last = Math.min(LAST_ROW, ...cuts)
  return {
    seq,
    columns: found.flatMap(({ of, rowIds }) => {
      const together = rowIds.filter((row) => row <= last)
      return together.length > 0 ? { of, rowIds: together } : []
    }),
  }
}
