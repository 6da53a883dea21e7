import { AppError } from '@sheaf/kit/errors'
import type { StoredValue } from '../../values/column-type'
import { quoteId } from '../../quoting/quote'
import type { DocumentWriter, Writing } from '../document'
import { logValue, logValues, type ColumnValues, type LogValue, type Operation } from '../log/log'
import type { Column, Table } from '../schema/schema'
import {
  convertColumns,
  type CellColumns,
  type StoredColumn,
  type WriteOptions,
} from './conversion'
import { insertRows, type NewRowIds } from './insert-rows'
import { placeBelow } from './manual-sort'
import { isMetadataTable, removeMetadataRows, updateMetadataRows } from './metadata-rows'
import { clearReferences } from './references'
import { requireReferenced } from './strict-cells'

/** Rows to add. */
export interface NewRows {
  readonly count: number
  readonly cells: CellColumns
  /** Ids of the rows, ascending, none of them in use. Absent to use those after the highest in use. */
  readonly ids?: readonly number[]
}

/** Rows to change. */
export interface ChangedRows {
  readonly rowIds: readonly number[]
  readonly cells: CellColumns
}

/**
 * Adds rows and returns their ids. A column that no row names takes its default; a column that only some rows
 * name is null in the others. Throws `not_found` for the table, `invalid` for a bad column.
 */
export function addRecords(
  doc: DocumentWriter,
  tableId: string,
  rows: NewRows,
  options: WriteOptions,
): readonly number[] {
  const table = doc.schema.getWritable(tableId)
  const given = convertColumns(doc, table, rows.cells, options)
  if (rows.count === 0) return []
  const wanted = rows.ids ?? rows.count
  const refs = new Set(given.map(({ column }) => column.ref))
  const ids = insertRecords(doc, doc.schema.get(table.tableId), {
    wanted,
    given,
    writing: { kind: 'added', given: refs },
  })
  if (options.strict) requireReferenced(doc, given, options)
  return ids
}

/** Rows to add whose values are in stored form. */
interface StoredRows {
  readonly wanted: NewRowIds
  readonly given: readonly StoredColumn[]
  /** See `DocumentWriter.record`. */
  readonly writing?: Writing
}

/** Adds rows, records them and returns their ids. */
export function insertRecords(
  doc: DocumentWriter,
  table: Table,
  { wanted, given, writing }: StoredRows,
): readonly number[] {
  const { ids, columns } = insertRows(doc, table, wanted, given)
  const operation: Operation = {
    kind: 'add_rows',
    table: table.tableId,
    tableRef: table.ref,
    rowIds: ids,
    columns: columns.map(({ column, values }) => describe(column, { new: logValues(values) })),
  }
  doc.record(operation, writing)
  return ids
}

/**
 * Changes cells of rows. Throws `not_found` for the table, `invalid` for a bad column or an unknown row. If a
 * row is named twice, its last cells win.
 */
export function updateRecords(
  doc: DocumentWriter,
  tableId: string,
  rows: ChangedRows,
  options: WriteOptions,
): void {
  if (isMetadataTable(tableId)) return updateMetadataRows(doc, tableId, rows)
  const table = doc.schema.getWritable(tableId)
  if (rows.cells.size === 0 || rows.rowIds.length === 0) return
  const last = new Map(rows.rowIds.map((id, index) => [id, index]))
  const rowIds = [...last.keys()]
  const columns = findDataColumns(table, rows.cells.keys())
  const before = byRowId(selectRows(doc, table, columns ?? [], rowIds))
  for (const id of rowIds)
    if (!before.has(id)) throw new AppError('invalid', 'INVALID_ROW_ID', `Invalid row id ${id}`)
  const given = convertColumns(doc, table, rows.cells, options)
  if (options.strict) requireReferenced(doc, given, options)
  const indexes = [...last.values()]
  const stored = given.map(({ column, values }) => ({
    column,
    values: indexes.map((index) => values[index] ?? null),
  }))
  if (stored.length > 0)
    writeCells(doc, table, {
      rowIds,
      stored,
      before: columns ? before : undefined,
      writing: { kind: 'changed' },
    })
}

/** The columns in this order; undefined when one of them is still an empty column, or unknown. */
function findDataColumns(table: Table, colIds: Iterable<string>): Column[] | undefined {
  const found: Column[] = []
  for (const colId of colIds) {
    const column = table.byId.get(colId)
    if (!column || column.isFormula) return undefined
    found.push(column)
  }
  return found
}

/** Removes rows and clears the references to them; unknown row ids are ignored. */
export function deleteRecords(
  doc: DocumentWriter,
  tableId: string,
  rowIds: readonly number[],
): void {
  if (isMetadataTable(tableId)) return removeMetadataRows(doc, tableId, rowIds)
  const table = doc.schema.getWritable(tableId)
  const removed = removeRecords(doc, table, rowIds)
  if (removed.length === 0) return
  for (const change of clearReferences(doc.connection, doc.schema, table, removed))
    writeCells(doc, change.table, {
      rowIds: change.rowIds,
      stored: [{ column: change.column, values: change.values }],
      writing: { kind: 'followed' },
    })
}

/**
 * Removes the existing ones of these rows, records them and returns their ids; references to them are
 * unchanged. `rows` are these rows as returned by selectRows with all columns, if already read.
 */
export function removeRecords(
  doc: DocumentWriter,
  table: Table,
  rowIds: readonly number[],
  rows = selectRows(doc, table, table.columns, rowIds),
): number[] {
  const removed = rows.map(([id]) => id)
  if (removed.length === 0) return removed
  deleteRows(doc, table, removed)
  doc.record({
    kind: 'remove_rows',
    table: table.tableId,
    tableRef: table.ref,
    rowIds: removed,
    columns: table.columns.map((column, i) =>
      describe(column, { old: rows.map((row) => row[i + 1] ?? null) }),
    ),
  })
  return removed
}

/** Removes stored rows. */
export function deleteRows(
  { connection }: DocumentWriter,
  { tableId }: Pick<Table, 'tableId'>,
  rowIds: readonly number[],
): void {
  connection
    .prepare(`DELETE FROM ${quoteId(tableId)} WHERE id IN (SELECT value FROM json_each(?))`)
    .run(JSON.stringify(rowIds))
}

/** The id of a row and its cells, in the order of the requested columns. */
export type RowCells = [number, ...LogValue[]]

/** Ids and cells of the existing ones of these rows, ordered by id. */
export function selectRows(
  doc: DocumentWriter,
  table: Table,
  columns: readonly Column[],
  rowIds: readonly number[],
): RowCells[] {
  const names = ['id', ...columns.map(({ id }) => id)].map(quoteId)
  return doc.connection
    .raw<RowCells>(
      `SELECT ${names.join(', ')} FROM ${quoteId(table.tableId)}
       WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    )
    .all(JSON.stringify(rowIds))
}

type RowsById = ReadonlyMap<number, readonly LogValue[]>

/** Rows as returned by selectRows, by id. */
export function byRowId(rows: readonly RowCells[]): RowsById {
  return new Map(rows.map((row) => [row[0], row]))
}

/** Cells to write; `before` holds their stored values, if already read. */
interface CellWrite {
  readonly rowIds: readonly number[]
  readonly stored: readonly StoredColumn[]
  readonly before?: RowsById
  /** See `DocumentWriter.record`. */
  readonly writing?: Writing
}

/**
 * Writes the cells that differ from their stored values, and records them. The rows must exist, each named
 * once.
 */
export function writeCells(doc: DocumentWriter, table: Table, write: CellWrite): void {
  const { rowIds, stored } = write
  const columns = stored.map(({ column }) => column)
  const before = write.before ?? byRowId(selectRows(doc, table, columns, rowIds))
  const assignments = columns.map(({ id }) => `${quoteId(id)} = ?`)
  const update = doc.connection.prepare(
    `UPDATE ${quoteId(table.tableId)} SET ${assignments.join(', ')} WHERE id = ?`,
  )
  const changed: number[] = []
  const touched = new Set<number>()
  rowIds.forEach((id, index) => {
    const values: StoredValue[] = []
    const old = before.get(id) ?? []
    let differs = false
    stored.forEach((column, c) => {
      const value = column.values[index] ?? null
      values.push(value)
      if (logValue(value) === (old[c + 1] ?? null)) return
      differs = true
      touched.add(c)
    })
    if (!differs) return
    values.push(id)
    update.run(values)
    changed.push(index)
  })
  if (changed.length === 0) return
  const operation: Operation = {
    kind: 'update_rows',
    table: table.tableId,
    tableRef: table.ref,
    rowIds: changed.map((index) => rowIds[index] ?? 0),
    columns: [...touched]
      .sort((a, b) => a - b)
      .flatMap((c) => {
        const column = stored[c]
        if (!column) return []
        return describe(column.column, {
          old: changed.map((index) => before.get(rowIds[index] ?? 0)?.[c + 1] ?? null),
          new: changed.map((index) => logValue(column.values[index] ?? null)),
        })
      }),
  }
  doc.record(operation, write.writing)
  const positions = stored.find(({ column }) => column.id === 'manualSort')
  if (positions)
    placeBelow(
      doc,
      table,
      changed.map((index) => rowIds[index] ?? 0),
      changed.map((index) => positions.values[index] ?? null),
    )
}

function describe(
  column: Column,
  values: { readonly old?: readonly LogValue[]; readonly new?: readonly LogValue[] },
): ColumnValues {
  return { id: column.id, ref: column.ref, type: column.typeName, ...values }
}
