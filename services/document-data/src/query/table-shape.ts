import type { ColumnType } from '../values/column-type'

/** A column as reading sees it. */
export interface ColumnShape {
  id: string
  type: ColumnType
  isFormula: boolean
  /** True for manualSort and helper columns, which are read only when asked for. */
  hidden: boolean
  /** Number of the column in the document; a sort key may name it. */
  ref?: number
  /** Choices in their order, for `orderByChoice`. */
  choices?: readonly string[]
}

/** A table as reading sees it: its columns in position order, manualSort among them; `id` goes without saying. */
export interface TableShape {
  tableId: string
  columns: readonly ColumnShape[]
}

/** The column with this id; undefined for an unknown one and for `id`. */
export function findColumn(table: TableShape, id: string): ColumnShape | undefined {
  return table.columns.find((column) => column.id === id)
}
