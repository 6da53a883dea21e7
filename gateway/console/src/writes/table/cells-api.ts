import { AuthenticationError, NotFoundError, PermissionError } from '@sheaf/client'
import type { Row } from '../../api/resources'
import { fetchSession, isPageUser } from '../../api/session'
import { docOf } from '../../api/sheaf'
import { makeChange } from '../../undo/make-change'

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

/** Where a table is. */
export interface TableAddress {
  /** The integer id of the document, which has other names in URLs. */
  readonly docId: string
  /** Stays the same when the table is renamed; undefined if it is not known. */
  readonly tableRef: number | undefined
  /** Changes when the table is renamed. */
  tableId: string
}

/** A table as it is now. */
export interface PresentTable {
  /** True if its id is another one than that of the latest call. */
  readonly isRenamed: boolean
  readonly columns: readonly TableColumn[]
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
  /** Reads the table as it is now, under the id that it has now; later calls use this id. Undefined if it was deleted. */
  readTable(): Promise<PresentTable | undefined>
}

const ONCE = { retry: { attempts: 1 } }

/** Returns the API of a table, whose address follows it when it is renamed. */
export function cellsApi(address: TableAddress): CellsApi {
  const { docId, tableRef } = address
  const document = docOf(docId)
  return {
    async change(records, idempotencyKey) {
      const operation = { op: 'updateRecords', table: address.tableId, records } as const
      return (await makeChange(docId, operation, { ...ONCE, idempotencyKey })).seq
    },
    async readRows(ids) {
      const table = document.table(address.tableId)
      const page = () => table.page({ filter: { id: ids }, ...ONCE })
      const { records, seq } = await asPageUser(page)
      return { rows: records.map(withErrors), seq }
    },
    async readTable() {
      const tables = await asPageUser(() => document.tables(ONCE))
      const present = tables.find(({ id, fields }) =>
        tableRef === undefined ? id === address.tableId : fields.tableRef === tableRef,
      )
      if (!present) return undefined
      const table = document.table(present.id)
      const columns = await asPageUser(() => table.columns.list({ hidden: true, ...ONCE }))
      const isRenamed = present.id !== address.tableId
      address.tableId = present.id
      return {
        isRenamed,
        columns: columns.map(({ id, fields }) => ({ id, colRef: fields.colRef })),
      }
    },
  }
}

/** Reads. What another user, who has signed in meanwhile, may not read counts as not read: the user of this page may. */
async function asPageUser<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof PermissionError || error instanceof NotFoundError)) throw error
    const { user } = await fetchSession()
    if (isPageUser(user)) throw error
    const message = 'You are signed out.'
    throw new AuthenticationError({ status: 401, reason: 'SIGNED_OUT', message })
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
