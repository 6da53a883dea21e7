import type { GroupEntry } from '../../store/documents/derived-group'
import type { Writing } from '../../store/document'
import type { RowOperation } from '../../store/log/log'
import type { Schema } from '../../store/schema/schema'
import { triggerColumnsOf, type TriggerColumn } from '../../store/schema/trigger-columns'
import { CellSet } from './dirty-cells'

/** The cells of trigger columns that one write concerns directly. */
export interface FiredTriggers {
  /** Cells whose formula runs, whatever else the write computes, by trigger column. */
  readonly fired: ReadonlyMap<TriggerColumn, readonly number[]>
  /** Cells that the write has changed itself: their formula does not run. */
  readonly written: CellSet
}

/** What the write runs by its own operations; formulas that name computed columns may follow. */
export function firedBy({ operations, writings }: GroupEntry, schema: Schema): FiredTriggers {
  const { byTable } = triggerColumnsOf(schema)
  const rows = new Map<TriggerColumn, Set<number>>()
  const written = new CellSet()
  for (const operation of operations) {
    const writing = writings.get(operation)
    if (!writing || !('rowIds' in operation)) continue
    for (const trigger of byTable.get(operation.tableRef) ?? []) {
      const known = rows.get(trigger) ?? new Set()
      rows.set(trigger, known)
      for (const row of rowsOf(trigger, operation, writing)) known.add(row)
      if (writing.kind === 'changed' && !trigger.deps.includes(trigger.column.ref))
        written.add(trigger.column.ref, changedRows(operation, [trigger.column.ref]))
    }
  }
  const fired = [...rows].map(([trigger, found]): [TriggerColumn, number[]] => [
    trigger,
    [...found].filter((row) => !written.has(trigger.column.ref, row)),
  ])
  return { fired: new Map(fired.filter(([, found]) => found.length > 0)), written }
}

function rowsOf(
  trigger: TriggerColumn,
  operation: RowOperation,
  writing: Writing,
): readonly number[] {
  const { column, deps, onEveryChange } = trigger
  // A given value stays, unless the formula names columns: they are all new.
  if (writing.kind === 'added')
    return deps.length > 0 || !writing.given.has(column.ref) ? operation.rowIds : []
  if (!onEveryChange) return changedRows(operation, deps)
  return writing.kind === 'changed' ? changedRows(operation) : []
}

/** The rows in which one of these columns changed, or any that people see. */
export function changedRows({ rowIds, columns }: RowOperation, refs?: readonly number[]): number[] {
  const concerned = columns.filter(({ ref, id }) =>
    refs ? refs.includes(ref) : id !== 'manualSort',
  )
  if (concerned.length === 0) return []
  return rowIds.filter((_, index) =>
    concerned.some(({ old, new: after }) => (old?.[index] ?? null) !== (after?.[index] ?? null)),
  )
}
