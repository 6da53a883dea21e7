import { findNearMiss, type NearMiss } from '@sheaf/kit/near-miss'
import type { ColumnType } from '../values/column-type'
import type { StopReason } from '../values/error-cells'

/** Column metadata needed for reading. */
export interface ColumnShape {
  id: string
  type: ColumnType
  isFormula: boolean
  /** True for manualSort and helper columns, which are returned only on request. */
  hidden: boolean
  /** Ref of the column, which a sort key may use. */
  ref?: number
  /** Choices in order, for `orderByChoice`. */
  choices?: readonly string[]
  /** Cells of rows with a greater id are not computed yet. */
  pendingAfter?: number
  /** The limit that the formula exceeded. */
  stopped?: StopReason
}

/** Table metadata needed for reading: columns in position order, including manualSort but not `id`. */
export interface TableShape {
  tableId: string
  columns: readonly ColumnShape[]
}

/** What is needed of a table to name its columns. */
export interface NamedColumns {
  readonly columns: readonly Pick<ColumnShape, 'id' | 'hidden'>[]
}

/** Returns the column with this id; undefined for an unknown id and for `id`. */
export function findColumn(table: TableShape, id: string): ColumnShape | undefined {
  return table.columns.find((column) => column.id === id)
}

/** The visible column that an unknown id probably means. */
export function nearColumn(id: string, { columns }: NamedColumns): NearMiss {
  return findNearMiss(
    id,
    columns.filter(({ hidden }) => !hidden).map((column) => column.id),
  )
}
