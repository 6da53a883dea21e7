/** A step of a change or a comparison, as the REST API returns it. */
export type Operation = RowOperation | SchemaOperation

/** Rows that were added, changed or removed. */
export interface RowOperation {
  readonly action: 'addRows' | 'updateRows' | 'removeRows'
  readonly tableId: string
  readonly rowIds: readonly number[]
  readonly columns: Readonly<
    Record<string, { readonly old?: readonly unknown[]; readonly new?: readonly unknown[] }>
  >
}

/** A table or column that was added, changed or removed. */
export interface SchemaOperation {
  readonly action:
    'addTable' | 'updateTable' | 'removeTable' | 'addColumn' | 'updateColumn' | 'removeColumn'
  readonly tableId: string
  readonly colId?: string
  readonly old?: Readonly<Record<string, unknown>>
  readonly new?: Readonly<Record<string, unknown>>
}
