/** Change of rows of a table, column by column, with values in the order of `rowIds`. */
export interface RowOperation {
  readonly action: 'addRows' | 'updateRows' | 'removeRows'
  readonly tableId: string
  /** Stays the same when the table is renamed. */
  readonly tableRef: number
  readonly rowIds: readonly number[]
  readonly columns: Readonly<
    Record<
      string,
      {
        readonly colRef: number
        readonly old?: readonly unknown[]
        readonly new?: readonly unknown[]
      }
    >
  >
}

/** Change of a table or column. */
export interface SchemaOperation {
  readonly action:
    'addTable' | 'updateTable' | 'removeTable' | 'addColumn' | 'updateColumn' | 'removeColumn'
  readonly tableId: string
  readonly tableRef: number
  readonly colId?: string
  readonly colRef?: number
  readonly old?: Readonly<Record<string, unknown>>
  readonly new?: Readonly<Record<string, unknown>>
  /** Values of a removed column; in the history only. */
  readonly cells?: { readonly rowIds: readonly number[]; readonly old: readonly unknown[] }
}

/** One entry of the log of a document: a write with everything that it changed. */
export interface Change {
  /** Position in the log, from 1 without gaps. */
  readonly seq: number
  readonly time: string
  /** Author; null for Sheaf itself. */
  readonly userId: number | null
  /** Id of the API key that made it; null without one. Absent below editor. */
  readonly keyId?: number | null
  readonly cause: 'api' | 'import' | 'formula' | 'undo' | 'form' | 'unknown'
  /** Present if operations are omitted because of their size. */
  readonly truncated?: true
  readonly operations: readonly (RowOperation | SchemaOperation)[]
}

/** A change with its author. */
export interface HistoryChange extends Change {
  /** Null for Sheaf itself; name and email are null if the account was deleted. */
  readonly user: {
    readonly id: number
    readonly name: string | null
    readonly email: string | null
  } | null
}
