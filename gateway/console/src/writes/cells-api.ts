import type { Row } from '../api/resources'
import { docOf } from '../api/sheaf'
import { makeChange } from '../undo/make-change'

/** Rows as they were read at a position of the change log. */
export interface StoredRows {
  readonly rows: readonly Row[]
  readonly seq: number
}

/** New cell values of a row. */
export interface RowChange {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

/** Cells of a row as somebody entered them. */
export interface EnteredRow extends RowChange {
  /** The cells that were shown before, as far as they are known. */
  readonly before: Readonly<Record<string, unknown>>
  /** Where the row is for the user, such as “row 3”. */
  readonly place: string
  /** The refs of columns by id, as far as they are known: a ref stays the same when the column is renamed. */
  readonly colRefs?: Readonly<Record<string, number>>
}

/** A column of a table. */
export interface TableColumn {
  readonly id: string
  readonly colRef: number
}

/** Cells that are entered in a row, without those that were shown before if the grid knows them. */
export type PlacedChange = Omit<EnteredRow, 'before' | 'colRefs'> &
  Partial<Pick<EnteredRow, 'before'>>

/** New cell values of a row, and those that it must have for the change to be made. */
export interface ExpectedChange extends RowChange {
  readonly expect?: Readonly<Record<string, unknown>>
}

/** The API, as far as cells of a table are written. Calls are sent once; the caller repeats them. */
export interface CellsApi {
  /**
   * Changes cells, all or none. Calls with the same key take effect once. Resolves to the position of the change in the log;
   * undefined if nothing changed.
   */
  change(records: readonly ExpectedChange[], key: string): Promise<number | undefined>
  /** Reads rows by id; at most a page of them. */
  readRows(ids: readonly number[]): Promise<StoredRows>
  /** Reads the columns as they are now. */
  readColumns(): Promise<readonly TableColumn[]>
}

const ONCE = { retry: { attempts: 1 } }

/** Returns the API of a table. */
export function cellsApi(docId: string, tableId: string): CellsApi {
  const table = docOf(docId).table(tableId)
  return {
    async change(records, idempotencyKey) {
      const operation = { op: 'updateRecords', table: tableId, records } as const
      return (await makeChange(docId, operation, { ...ONCE, idempotencyKey })).seq
    },
    async readRows(ids) {
      const { records, seq } = await table.page({ filter: { id: ids }, ...ONCE })
      return { rows: records.map(withErrors), seq }
    },
    async readColumns() {
      const columns = await table.columns.list({ hidden: true, ...ONCE })
      return columns.map(({ id, fields }) => ({ id, colRef: fields.colRef }))
    },
  }
}

/** A row as the API returns it: a cell with an error is null. */
interface RawRow extends Row {
  readonly errors?: Readonly<Record<string, string | undefined>>
}

/** Returns a row with errors as cells, in the form that the change stream has. */
export function withErrors({ errors, ...row }: RawRow): Row {
  if (!errors) return row
  const cells = Object.entries(errors).map(([colId, name]) => [colId, ['E', name]])
  return { ...row, fields: { ...row.fields, ...(Object.fromEntries(cells) as Row['fields']) } }
}
