/** Value of a cell as JSON: lists begin with a code, such as `["L", 1, 2]`. */
export type Cell = string | number | boolean | null | readonly [code: string, ...items: unknown[]]

/** Types of one table: what `types.ts` of a document has for it. */
export interface TableTypes {
  /** Row ids. */
  readonly id: number
  /** Cells as they are read. */
  readonly read: object
  /** Cells that can be written. */
  readonly write: object
}

/** Requires of each property that it describes a table. Interfaces have no index signature, so `Record` would refuse them. */
export type DocumentTypes<D> = { readonly [T in keyof D]: TableTypes }

/** A document whose tables are not known. */
export type AnyDocument = Record<
  string,
  { id: number; read: Record<string, Cell>; write: Record<string, Cell> }
>

/** The ids of the tables of a document. */
export type TableId<D> = keyof D & string

/** The ids of the columns of a table. */
export type ColumnId<T extends TableTypes> = keyof T['read'] & string

/** A row as it is read, with all columns or those in `Columns`. */
export interface Row<T extends TableTypes, Columns extends ColumnId<T> = ColumnId<T>> {
  readonly id: T['id']
  readonly fields: Pick<T['read'], Columns>
  /** Names of the errors of formulas by column, whose cells are null; absent without one. */
  readonly errors?: { readonly [C in Columns]?: string }
}
