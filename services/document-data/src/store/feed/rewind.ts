import { columnType } from '../../values/column-types'
import { quoteId } from '../../quoting/quote'
import { isComputed } from '../structure/column-cells'
import type { ColumnMetadata } from '../schema/column-metadata'
import type { Connection } from '../sqlite/connections'
import {
  logValue,
  type ColumnValues,
  type LogValue,
  type Operation,
  type RowOperation,
  type SchemaOperation,
} from '../log/log'
import type { Schema } from '../schema/schema'

/** Rows read from the file in one statement. */
const ROWS_AT_ONCE = 1000
/** When a sorted change has this many times more rows than are held, it is searched for the held ones. */
const MANY = 4

/** A column in a former state. */
interface PastColumn {
  readonly ref: number
  metadata: Pick<ColumnMetadata, 'colId' | 'parentPos' | 'type' | 'isFormula' | 'formula'>
  /** By the places of the rows. */
  values: LogValue[]
}

/** Approximate size of all tables, and its limit. */
interface Held {
  bytes: number
  readonly maxBytes: number
}

/** A table in a former state, with some of its rows. */
interface PastTable {
  tableId: string
  /** Index of each held row, by row id. */
  readonly places: ReadonlyMap<number, number>
  readonly columns: Map<number, PastColumn>
  readonly held: Held
}

/**
 * Some rows of tables in a former state: starts with the present and undoes the operations of the log one by
 * one, latest first. Tables and columns are identified by their refs, so renaming does not matter.
 */
export class Rewind {
  private readonly tables = new Map<number, PastTable>()
  private readonly held: Held

  /**
   * @param rows ids of the rows that are wanted, by the ref of their table
   * @param maxBytes about how much of them may be held
   */
  constructor(
    connection: Connection,
    schema: Schema,
    rows: ReadonlyMap<number, ReadonlySet<number>>,
    maxBytes: number,
  ) {
    this.held = { bytes: 0, maxBytes }
    const { held } = this
    for (const [ref, ids] of rows) {
      const places = new Map([...ids].map((id, place) => [id, place]))
      const table = schema.findByRef(ref)
      const past: PastTable = { tableId: table?.tableId ?? '', places, columns: new Map(), held }
      for (const column of table?.columns ?? [])
        addColumn(past, column.ref, {
          colId: column.id,
          parentPos: column.position,
          type: column.typeName,
          isFormula: column.isFormula,
          formula: column.formula,
        })
      if (table) readRows(connection, past)
      this.tables.set(ref, past)
    }
  }

  /** True when the rows exceed the limit. The held data are then incomplete. */
  get isTooLarge(): boolean {
    return this.held.bytes > this.held.maxBytes
  }

  /** True when an entry concerns these tables and has to be undone. */
  concerns(refs: readonly number[]): boolean {
    return refs.some((ref) => this.tables.has(ref))
  }

  /** Undoes an operation, which must be the latest one not yet undone. */
  undo(operation: Operation): void {
    const table = this.tables.get(operation.tableRef)
    if (!table) return
    if ('rowIds' in operation) undoRows(table, operation)
    else undoSchema(table, operation)
  }

  /**
   * A change of rows with all columns that its table has after it, as of now: nothing that comes after it
   * must be left to be undone. The rows must be among those that are wanted.
   */
  complete(operation: RowOperation): RowOperation {
    const table = this.tables.get(operation.tableRef)
    if (!table) return operation
    const changed = new Map(operation.columns.map((column) => [column.ref, column]))
    const places = operation.rowIds.map((id) => table.places.get(id) ?? -1)
    const columns = [...table.columns.values()]
      .sort((a, b) => a.metadata.parentPos - b.metadata.parentPos || a.ref - b.ref)
      .map(
        ({ ref, metadata: { colId: id, type }, values }): ColumnValues =>
          changed.get(ref) ?? { id, ref, type, new: places.map((place) => values[place] ?? null) },
      )
    return { ...operation, columns }
  }
}

function addColumn(
  { places, columns }: PastTable,
  ref: number,
  metadata: PastColumn['metadata'],
): PastColumn {
  const column = { ref, metadata, values: new Array<LogValue>(places.size).fill(null) }
  columns.set(ref, column)
  return column
}

function put({ held }: PastTable, values: LogValue[], place: number, value: LogValue): void {
  held.bytes += sizeOf(value) - sizeOf(values[place])
  values[place] = value
}

const sizeOf = (value: LogValue | undefined) => (typeof value === 'string' ? value.length : 0)

function readRows(connection: Connection, table: PastTable): void {
  const { tableId, places, columns, held } = table
  const all = [...columns.values()]
  const names = ['id', ...all.map(({ metadata }) => metadata.colId)].map(quoteId).join(', ')
  const statement = connection.raw<[number, ...LogValue[]]>(
    `SELECT ${names} FROM ${quoteId(tableId)} NOT INDEXED
     WHERE id IN (SELECT value FROM json_each(?))`,
  )
  const ids = [...places.keys()]
  for (let start = 0; start < ids.length; start += ROWS_AT_ONCE)
    for (const [id, ...cells] of statement.iterate(
      JSON.stringify(ids.slice(start, start + ROWS_AT_ONCE)),
    )) {
      const place = places.get(id)
      if (place !== undefined)
        all.forEach(({ values }, i) => put(table, values, place, cells[i] ?? null))
      if (held.bytes > held.maxBytes) return
    }
}

/** Added rows are left as they are: they are never requested for an earlier moment. */
function undoRows(table: PastTable, { kind, rowIds, columns }: RowOperation): void {
  if (kind === 'add_rows') return
  const found = findRows(table, rowIds)
  if (found.length === 0) return
  for (const { ref, old } of columns) {
    const values = table.columns.get(ref)?.values
    if (!values || !old) continue
    for (const [index, place] of found) put(table, values, place, old[index] ?? null)
  }
}

/** The held rows of a list: their indexes in the list, and among the held rows. */
function findRows({ places }: PastTable, rowIds: readonly number[]): [number, number][] {
  const found: [number, number][] = []
  if (rowIds.length > places.size * MANY && isAscending(rowIds)) {
    for (const [id, place] of places) {
      const index = search(rowIds, id)
      if (index >= 0) found.push([index, place])
    }
    return found
  }
  rowIds.forEach((id, index) => {
    const place = places.get(id)
    if (place !== undefined) found.push([index, place])
  })
  return found
}

/** Cache of which lists are ascending, because a large one is checked many times. */
const ascending = new WeakMap<readonly number[], boolean>()

function isAscending(ids: readonly number[]): boolean {
  let known = ascending.get(ids)
  if (known === undefined) {
    known = ids.every((id, i) => i === 0 || (ids[i - 1] ?? 0) < id)
    ascending.set(ids, known)
  }
  return known
}

function search(ids: readonly number[], wanted: number): number {
  let low = 0
  let high = ids.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const id = ids[middle] ?? 0
    if (id === wanted) return middle
    if (id < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}

function undoSchema(table: PastTable, operation: SchemaOperation): void {
  const { columnRef } = operation
  switch (operation.kind) {
    case 'add_table':
      table.columns.clear()
      break
    case 'update_table':
      table.tableId = operation.table
      break
    case 'remove_table':
      restoreTable(table, operation)
      break
    case 'add_column':
      table.columns.delete(columnRef)
      break
    case 'update_column':
      undoUpdate(table, operation)
      break
    case 'remove_column':
      restoreColumn(table, operation)
      break
  }
}

/** Its rows are restored by undoing the preceding removal of rows in the log. */
function restoreTable(table: PastTable, { table: tableId, old }: SchemaOperation): void {
  table.tableId = tableId
  const { columns = [] } = (old ?? {}) as {
    columns?: readonly (ColumnMetadata & { readonly colRef: number })[]
  }
  for (const { colRef, ...metadata } of columns) addColumn(table, colRef, metadata)
}

function restoreColumn(table: PastTable, { columnRef, old, cells }: SchemaOperation): void {
  const { values } = addColumn(table, columnRef, old as ColumnMetadata)
  if (!cells) return
  for (const [index, place] of findRows(table, cells.rowIds))
    put(table, values, place, cells.values[index] ?? null)
}

function undoUpdate(table: PastTable, { columnRef, old }: SchemaOperation): void {
  const column = table.columns.get(columnRef)
  if (!column) return
  column.metadata = { ...column.metadata, ...old }
  const { metadata } = column
  // The cells of an empty column follow from its type and are not logged.
  if (metadata.isFormula && !isComputed(metadata))
    column.values.fill(logValue(columnType(metadata.type).defaultValue))
}
