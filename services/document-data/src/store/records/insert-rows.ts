import type { StoredValue } from '../../values/column-type'
import { storedNumber } from '../../values/numbers/number-storage'
import { quoteId } from '../../quoting/quote'
import type { DocumentWriter } from '../document'
import type { Column, Table } from '../schema/schema'
import type { StoredColumn } from './conversion'
import { placeBelow } from './manual-sort'

/** Rows per INSERT statement: reduces calls into SQLite while the statement stays small. */
const ROWS_AT_ONCE = 16
/** Bound values in one statement; SQLite allows 32,766. */
const MAX_VALUES = 8_000

/** Rows that were added. */
export interface InsertedRows {
  readonly ids: readonly number[]
  /** All columns of the table with the values that were stored. */
  readonly columns: readonly StoredColumn[]
}

/**
 * Ids of rows to add: either a count of ids that follow the highest one in use, or given ones, which must be
 * free. Restored rows keep the given positions, including nulls.
 */
export type NewRowIds = number | readonly number[] | { readonly comeBack: readonly number[] }

/** Adds rows to a table; columns that are not given take their defaults. */
export function insertRows(
  doc: DocumentWriter,
  table: Table,
  wanted: NewRowIds,
  given: readonly StoredColumn[],
): InsertedRows {
  const highest = doc.connection
    .pluck<number | null>(`SELECT max(id) FROM ${quoteId(table.tableId)}`)
    .get()
  const above = highest ?? 0
  const ids = idsOf(wanted, above)
  const byId = new Map(given.map((column) => [column.column.id, column]))
  const columns = table.columns.map((column) => {
    const values = byId.get(column.id)?.values
    if (column.id === 'manualSort') {
      const isBack = typeof wanted === 'object' && 'comeBack' in wanted && values !== undefined
      const place = isBack ? placeBack : positionRows
      return { column, values: place(doc, table, { ids, above }, values) }
    }
    return {
      column,
      values: values ?? new Array<StoredValue>(ids.length).fill(defaultOf(column)),
    }
  })
  writeRows(doc, table, ids, columns)
  return { ids, columns }
}

function idsOf(wanted: NewRowIds, above: number): readonly number[] {
  if (typeof wanted === 'number')
    return Array.from({ length: wanted }, (_, index) => above + 1 + index)
  return 'comeBack' in wanted ? wanted.comeBack : wanted
}

/** Positions of restored rows, as given. */
function placeBack(
  doc: DocumentWriter,
  table: Table,
  { ids }: { readonly ids: readonly number[] },
  given: readonly StoredValue[] = [],
): readonly StoredValue[] {
  placeBelow(doc, table, ids, given)
  return given
}

/** Default of a missing cell; formulas are not evaluated, so a computed one is null. */
function defaultOf({ type, isFormula, formula }: Column): StoredValue {
  return isFormula && formula !== '' ? null : type.defaultValue
}

/** Stores rows with these ids and cells. */
export function writeRows(
  doc: DocumentWriter,
  table: Table,
  ids: readonly number[],
  columns: readonly StoredColumn[],
): void {
  const width = columns.length + 1
  const step = Math.max(1, Math.min(ROWS_AT_ONCE, Math.floor(MAX_VALUES / width)))
  let row = 0
  for (const rows of [step, 1]) {
    if (ids.length - row < rows) continue
    const insert = doc.connection.prepare(
      insertSql(
        table,
        columns.map(({ column }) => column),
        rows,
      ),
    )
    const values = new Array<StoredValue>(rows * width)
    for (; ids.length - row >= rows; row += rows) {
      for (let r = 0, at = 0; r < rows; r++) {
        values[at++] = ids[row + r] ?? null
        for (let c = 0; c < columns.length; c++) values[at++] = columns[c]?.values[row + r] ?? null
      }
      insert.run(values)
    }
  }
}

function insertSql(table: Table, columns: readonly Column[], rows: number): string {
  const names = ['id', ...columns.map(({ id }) => id)].map(quoteId).join(', ')
  const marks = `(${new Array(columns.length + 1).fill('?').join(', ')})`
  return `INSERT INTO ${quoteId(table.tableId)} (${names}) VALUES ${new Array(rows).fill(marks).join(', ')}`
}

/**
 * Positions of new rows: the given ones, otherwise below all other rows. No other row has an id over `above`.
 */
function positionRows(
  doc: DocumentWriter,
  table: Table,
  { ids, above }: { readonly ids: readonly number[]; readonly above: number },
  given: readonly StoredValue[] | undefined,
): StoredValue[] {
  const below = Math.max(Math.floor(table.manualSortTop), above)
  // Without rows placed by hand every row's position is its id.
  if (!given && ids.every((id, index) => id > (ids[index - 1] ?? below)))
    return ids.map((id) => BigInt(id))
  let next = below + 1
  // Beyond the safe integers, new rows share a position and their ids decide.
  const positions = ids.map((_, index) => given?.[index] ?? storedNumber(next++))
  placeBelow(doc, table, ids, positions)
  return positions
}
