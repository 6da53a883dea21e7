import type { Column, Schema, Table } from './schema'

/** Values of `recalcWhen`: when the formula of a data column runs. */
export const RecalcWhen = { named: 0, never: 1, always: 2 } as const

/** A data column with a formula that gives cells of new rows their values, and runs again when cells change. */
export interface TriggerColumn {
  readonly table: Table
  readonly column: Column
  /** Refs of the columns whose changes run the formula; empty when it runs for new rows only, or `onEveryChange`. */
  readonly deps: readonly number[]
  /** True when every change of a row by a user runs the formula. */
  readonly onEveryChange: boolean
  /** True when the formula exceeded a limit: its cells wait until it is recalculated. */
  readonly isStopped: boolean
}

/** The trigger columns of a document. */
export interface TriggerColumns {
  readonly all: readonly TriggerColumn[]
  readonly byRef: ReadonlyMap<number, TriggerColumn>
  readonly byTable: ReadonlyMap<number, readonly TriggerColumn[]>
  /** By the ref of a column whose changes run their formulas. */
  readonly byDep: ReadonlyMap<number, readonly TriggerColumn[]>
  /** True when a change in another table may run a formula, over a formula column that it names. */
  readonly isRemote: boolean
}

const known = new WeakMap<Schema, TriggerColumns>()

/** The trigger columns of a schema; made once for each schema. */
export function triggerColumnsOf(schema: Schema): TriggerColumns {
  const found = known.get(schema)
  if (found) return found
  const all = schema.tables.flatMap((table) =>
    table.columns.flatMap((column) => triggerOf(table, column) ?? []),
  )
  const byTable = new Map<number, TriggerColumn[]>()
  const byDep = new Map<number, TriggerColumn[]>()
  for (const trigger of all) {
    add(byTable, trigger.table.ref, trigger)
    for (const ref of trigger.deps) add(byDep, ref, trigger)
  }
  const isRemote = all.some(({ table, deps }) =>
    table.columns.some(({ ref, isFormula }) => isFormula && deps.includes(ref)),
  )
  const byRef = new Map(all.map((trigger) => [trigger.column.ref, trigger]))
  const made = { all, byRef, byTable, byDep, isRemote }
  known.set(schema, made)
  return made
}

function triggerOf(table: Table, column: Column): TriggerColumn | undefined {
  const { isFormula, formula, recalcWhen, recalcDeps, triggerStopped } = column
  if (isFormula || formula === '' || recalcWhen === RecalcWhen.never) return
  const onEveryChange = recalcWhen === RecalcWhen.always
  const refs = recalcDeps === null ? [] : (JSON.parse(recalcDeps) as number[])
  // Names of other tables' columns mean nothing: a formula runs in the row that has changed.
  const deps = refs.filter((ref) => table.columns.some((of) => of.ref === ref))
  const isStopped = triggerStopped !== undefined
  return { table, column, deps: onEveryChange ? [] : deps, onEveryChange, isStopped }
}

function add<T>(map: Map<number, T[]>, key: number, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
