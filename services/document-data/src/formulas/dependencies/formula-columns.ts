import { isComputed } from '../../store/structure/column-cells'
import type { Column, Schema, Table } from '../../store/schema/schema'
import { triggerColumnsOf } from '../../store/schema/trigger-columns'

/** A column with its table. */
export interface ColumnOfTable {
  readonly table: Table
  readonly column: Column
}

const known = new WeakMap<Schema, SchemaColumns>()

/** The columns of a schema by ref. */
export interface SchemaColumns {
  readonly byRef: ReadonlyMap<number, ColumnOfTable>
  /** The columns whose cells come from a formula. */
  readonly computed: readonly ColumnOfTable[]
}

/** The columns of a schema; made once for each schema. */
export function columnsOf(schema: Schema): SchemaColumns {
  const found = known.get(schema)
  if (found) return found
  const all = schema.tables.flatMap((table) => table.columns.map((column) => ({ table, column })))
  const made = {
    byRef: new Map(all.map((of) => [of.column.ref, of])),
    computed: all.filter(({ column }) => isComputed(column)),
  }
  known.set(schema, made)
  return made
}

/** True for a column whose cells are data: of the columns to compute, those with a trigger formula. */
export function isTrigger({ column }: ColumnOfTable): boolean {
  return !isComputed(column)
}

/** True when a document has formulas, or trigger formulas. */
export function hasFormulas(schema: Schema): boolean {
  return columnsOf(schema).computed.length > 0 || triggerColumnsOf(schema).all.length > 0
}
