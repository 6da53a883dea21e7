import type { Cell } from '../../values/column-type'
import type { AddOrUpdateStep } from '../records/add-or-update'
import type { CellColumns } from '../records/conversion'
import type { ColumnUpdate } from '../structure/column-updates'
import type { NewColumn } from '../structure/columns'
import type { TableChange } from '../structure/table-updates'
import type { NewTable } from '../structure/tables'

/** A row: its id, or the temporary id of a row that an earlier operation of the batch adds. */
export type RowName = number | string

/** Cells that a row must hold for the batch to proceed. */
export interface ExpectedRecord {
  /** Index of the record in its operation. */
  readonly place: number
  readonly row: RowName
  readonly cells: ReadonlyMap<string, Cell>
}

/** Records that change the same columns. */
export interface UpdateStep {
  /** Indexes of the records in their operation. */
  readonly places: readonly number[]
  readonly rows: readonly RowName[]
  readonly cells: CellColumns
}

interface AddRecords {
  readonly op: 'addRecords'
  readonly table: string
  readonly count: number
  /** Temporary ids, one item per record. */
  readonly names: readonly (string | undefined)[]
  readonly cells: CellColumns
}

interface UpdateRecords {
  readonly op: 'updateRecords'
  readonly table: string
  readonly steps: readonly UpdateStep[]
  readonly expected: readonly ExpectedRecord[]
}

interface AddOrUpdateRecords {
  readonly op: 'addOrUpdateRecords'
  readonly table: string
  readonly count: number
  readonly groups: readonly AddOrUpdateStep[]
  readonly onMany: 'first' | 'none' | 'all'
  readonly noAdd: boolean
  readonly noUpdate: boolean
  readonly allowEmptyRequire: boolean
}

interface DeleteRecords {
  readonly op: 'deleteRecords'
  readonly table: string
  readonly rows: readonly RowName[]
  readonly expected: readonly ExpectedRecord[]
}

/** An operation on rows of one table. */
export type RecordsOperation = AddRecords | UpdateRecords | AddOrUpdateRecords | DeleteRecords

/** An operation on tables, or on columns of one table. */
export type StructureOperation =
  | { readonly op: 'addTables'; readonly tables: readonly NewTable[] }
  | {
      readonly op: 'updateTables'
      readonly tables: readonly { readonly id: string; readonly change: TableChange }[]
    }
  | { readonly op: 'removeTables'; readonly tables: readonly string[] }
  | { readonly op: 'addColumns'; readonly table: string; readonly columns: readonly NewColumn[] }
  | {
      readonly op: 'updateColumns'
      readonly table: string
      readonly columns: readonly ColumnUpdate[]
    }
  | { readonly op: 'removeColumns'; readonly table: string; readonly columns: readonly string[] }

/** One operation of a batch. */
export type BatchOperation = RecordsOperation | StructureOperation

/** What an operation has done. Lists are absent where the operation cannot do that. */
export interface OperationResult {
  /** Ids of rows, in the order of the operation. */
  readonly added?: readonly number[]
  readonly updated?: readonly number[]
  readonly removed?: readonly number[]
  /** For each record of an operation that adds or updates, the ids of its rows. */
  readonly records?: readonly (readonly number[])[]
  /** Ids of the tables that were added, changed or removed. */
  readonly tables?: readonly { readonly id: string }[]
  /** Ids of the columns that were added, changed or removed. */
  readonly columns?: readonly { readonly id: string }[]
}
