import type { DocumentTypes, TableId, TableTypes } from './document-types.ts'
import type { ColumnSettings, NewColumn } from './resources.ts'

/** Temporary id of a row that the batch adds, for later operations. */
export type TempId = `$${string}`

/** Cells in which references may name rows by temporary ids. */
type BatchCells<Cells> = { readonly [C in keyof Cells]: Cells[C] | TempIdsIn<Cells[C]> }

/** Temporary ids in place of row ids, in references and in lists of them. */
type TempIdsIn<Value> =
  | (NonNullable<Value> extends infer V ? (V extends number ? TempId : never) : never)
  | (Extract<Value, readonly [string, ...number[]]> extends never
      ? never
      : readonly ['L', ...(number | TempId)[]])

type RecordOperation<Id, T extends TableTypes> =
  | {
      readonly op: 'addRecords'
      readonly table: Id
      readonly records: readonly {
        readonly id?: TempId
        readonly fields?: BatchCells<T['write']>
      }[]
    }
  | {
      readonly op: 'updateRecords'
      readonly table: Id
      readonly records: readonly {
        readonly id: T['id'] | TempId
        readonly fields: BatchCells<T['write']>
        readonly expect?: BatchCells<Partial<T['read']>>
      }[]
    }
  | {
      readonly op: 'addOrUpdateRecords'
      readonly table: Id
      readonly records: readonly {
        readonly require: BatchCells<T['write']>
        readonly fields?: BatchCells<T['write']>
        readonly expect?: BatchCells<Partial<T['read']>>
      }[]
      readonly onMany?: 'first' | 'none' | 'all'
      readonly noAdd?: boolean
      readonly noUpdate?: boolean
      readonly allowEmptyRequire?: boolean
    }
  | {
      readonly op: 'deleteRecords'
      readonly table: Id
      readonly records: readonly {
        readonly id: T['id'] | TempId
        readonly expect?: BatchCells<Partial<T['read']>>
      }[]
    }

/** Tables and columns that a batch changes may be ones that it has added, so their ids are any text. */
type StructureOperation =
  | {
      readonly op: 'addTables'
      readonly tables: readonly { readonly id?: string; readonly columns: readonly NewColumn[] }[]
    }
  | {
      readonly op: 'updateTables'
      readonly tables: readonly {
        readonly id: string
        readonly fields: { readonly tableId?: string }
      }[]
    }
  | { readonly op: 'removeTables'; readonly tables: readonly { readonly id: string }[] }
  | { readonly op: 'addColumns'; readonly table: string; readonly columns: readonly NewColumn[] }
  | {
      readonly op: 'updateColumns'
      readonly table: string
      readonly columns: readonly {
        readonly id: string
        readonly fields: ColumnSettings & { readonly colId?: string }
      }[]
    }
  | {
      readonly op: 'removeColumns'
      readonly table: string
      readonly columns: readonly { readonly id: string }[]
    }

/** An operation of a batch on the tables of a document. */
export type BatchOperation<D extends DocumentTypes<D>> =
  { [Id in TableId<D>]: RecordOperation<Id, D[Id]> }[TableId<D>] | StructureOperation

/** What one operation has done. */
export interface AppliedOperation {
  readonly op: string
  readonly table?: string
  /** Row ids. */
  readonly added?: readonly number[]
  readonly updated?: readonly number[]
  readonly removed?: readonly number[]
  /** Of `addOrUpdateRecords`: for each record, the ids of its rows. */
  readonly records?: readonly (readonly number[])[]
  readonly tables?: readonly { readonly id: string }[]
  readonly columns?: readonly { readonly id: string }[]
}

/** An action of the Grist API: its name and arguments, such as `['AddRecord', 'People', null, { Name: 'Ann' }]`. */
export type UserAction = readonly [name: string, ...args: unknown[]]

/** Results of actions. */
export interface AppliedActions {
  /** Position of the change in the log; 0 if nothing changed. */
  readonly actionNum: number
  /** For each action: the row ids of added rows, the ids of an added table or column; else null. */
  readonly retValues: readonly unknown[]
  readonly isModification: boolean
}

/** Results of a batch. */
export interface AppliedBatch {
  readonly operations: readonly AppliedOperation[]
  /** Row ids by temporary id. */
  readonly tempIds: Readonly<Record<string, number>>
  /** Position of the change in the log; of the latest one if nothing changed. */
  readonly seq: number
  readonly isModification: boolean
}
