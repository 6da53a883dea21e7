import { isDeepStrictEqual } from 'node:util'
import { AppError } from '@sheaf/kit/errors'
import type { Cell, StoredValue } from '../../values/column-type'
import { quoteId } from '../../quoting/quote'
import { cellsSql } from '../../values/error-cells'
import type { DocumentWriter } from '../document'
import type { Column, Table } from '../schema/schema'
import { invalidColumn } from '../schema/unknown-names'
import { requireComputed } from './computed-cells'

/** Cells that a row must hold for a write to proceed. */
export interface ExpectedRow {
  /** Undefined for a row that does not exist: then no expectation is met. */
  readonly rowId: number | undefined
  /** By column id, in the form in which they are read. */
  readonly cells: ReadonlyMap<string, Cell>
}

/**
 * Throws `precondition`, naming record and column, unless all cells have the expected values. Must be called
 * within the write, before it changes anything. Throws `not_found` for the table, `invalid` for an unknown
 * column or row.
 */
export function requireExpected(
  doc: DocumentWriter,
  tableId: string,
  expected: readonly ExpectedRow[],
): void {
  const table = doc.schema.getWritable(tableId)
  const names = new Set(expected.flatMap(({ cells }) => [...cells.keys()]))
  const columns = [...names].map((name) => requireColumn(table, name))
  requireComputed(doc, columns)
  const held = readCells(doc, table, columns, expected)
  for (const { rowId, cells } of expected) {
    const row = rowId === undefined ? undefined : held.get(rowId)
    if (rowId !== undefined && !row)
      throw new AppError('invalid', 'INVALID_ROW_ID', `Invalid row id ${rowId}`)
    for (const [name, cell] of cells)
      if (!row || !isSame(row.get(name) ?? null, cell)) throw differs(rowId, name)
  }
}

function requireColumn(table: Table, name: string): Column {
  const column = table.byId.get(name)
  if (!column) throw invalidColumn(name, table)
  return column
}

function readCells(
  doc: DocumentWriter,
  table: Table,
  columns: readonly Column[],
  expected: readonly ExpectedRow[],
): Map<number, ReadonlyMap<string, Cell>> {
  const shown = ['"id"', ...columns.map((column) => cellsSql(column))]
  const ids = expected.flatMap(({ rowId }) => rowId ?? [])
  const rows = doc.connection
    .raw<[number, ...StoredValue[]]>(
      `SELECT ${shown.join(', ')} FROM ${quoteId(table.tableId)}
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(ids))
  return new Map(
    rows.map(([id, ...stored]) => [
      id,
      new Map(columns.map((column, i) => [column.id, readCell(column, stored[i] ?? null)])),
    ]),
  )
}

/** Every type reads null as null. */
function readCell({ type }: Column, stored: StoredValue): Cell {
  return stored === null ? null : type.fromStored(stored)
}

function isSame(held: Cell, expected: Cell): boolean {
  return held === expected || (typeof held === 'object' && isDeepStrictEqual(held, expected))
}

function differs(rowId: number | undefined, column: string): AppError {
  const row = rowId === undefined ? 'a missing record' : `record ${rowId}`
  return new AppError(
    'precondition',
    'CELL_CHANGED',
    `${row} does not have the expected value in column "${column}"`,
    { column, ...(rowId !== undefined && { recordId: String(rowId) }) },
  )
}
