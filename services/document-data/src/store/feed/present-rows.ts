import { quoteId } from '../../quoting/quote'
import { cellsSql } from '../../values/error-cells'
import type {
  ColumnValues,
  LogEntry,
  LogValue,
  Operation,
  RowOperation,
  SchemaOperation,
} from '../log/log'
import { wholeMetadata } from '../schema/column-metadata'
import { findMetadataColumns } from '../schema/metadata-tables'
import type { Column, Schema, Table } from '../schema/schema'
import type { Connection } from '../sqlite/connections'
import type { Piece, Rebuilds } from './passes'
import type { Completed, RowReader } from './row-reader'

/** Rows read from the file in one statement. */
const ROWS_AT_ONCE = 1000
/** Approximate size of a value that is not text. */
const NUMBER_BYTES = 8

/** Rows of a table as they are now. */
class PresentRows {
  private readonly ids = new Set<number>()
  private readonly columns = new Map<string, Column>()
  private readonly rows = new Map<number, ReadonlyMap<string, LogValue>>()

  constructor(readonly table: Table) {}

  /** Requests cells before they are read. */
  want(rowIds: readonly number[], columns: Iterable<Column>): void {
    for (const id of rowIds) this.ids.add(id)
    for (const column of columns) this.columns.set(column.id, column)
  }

  /** Reads the requested cells, until they take more than `maxBytes`. Returns their approximate size. */
  *read(connection: Connection, maxBytes: number): Generator<null, number> {
    const names = [...this.columns.keys()]
    const selected = ['"id"', ...[...this.columns.values()].map((column) => cellsSql(column))].join(
      ', ',
    )
    const statement = connection.raw<[number, ...LogValue[]]>(
      `SELECT ${selected} FROM ${quoteId(this.table.tableId)} NOT INDEXED
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    const ids = [...this.ids]
    let bytes = 0
    for (let start = 0; start < ids.length; start += ROWS_AT_ONCE) {
      const some = JSON.stringify(ids.slice(start, start + ROWS_AT_ONCE))
      for (const [id, ...cells] of statement.iterate(some)) {
        this.rows.set(id, new Map(names.map((name, i) => [name, cells[i] ?? null])))
        for (const cell of cells) bytes += typeof cell === 'string' ? cell.length : NUMBER_BYTES
        if (bytes > maxBytes) return bytes
      }
      yield null
    }
    return bytes
  }

  /** The row ids that exist. */
  existing(rowIds: readonly number[]): number[] {
    return rowIds.filter((id) => this.rows.has(id))
  }

  /** The cells of a column in these rows, which exist. */
  cellsOf({ id: name }: Column, rowIds: readonly number[]): LogValue[] {
    return rowIds.map((id) => this.rows.get(id)?.get(name) ?? null)
  }
}

/**
 * Completes changes for callers who may not see the past: names, metadata and cells are those of now, and
 * what no longer exists is left out, apart from the refs and row ids of what was removed. Such a caller can
 * follow a document and learns nothing that a read of it would not tell.
 */
export class PresentReader implements RowReader {
  readonly isSpent = false

  readonly rebuilds: Rebuilds = (operation): operation is RowOperation =>
    'rowIds' in operation && operation.kind !== 'remove_rows'

  constructor(
    private readonly connection: Connection,
    private readonly schema: () => Schema,
    private readonly options: { readonly fullRows: boolean; readonly maxPassBytes: number },
  ) {}

  /** See {@link RowReader.complete}. */
  *complete(
    _entries: readonly LogEntry[],
    pass: readonly Piece[],
    mayRefuse: boolean,
  ): Generator<null, Completed | undefined> {
    const rows = this.wantedRows(pass)
    let left = mayRefuse ? this.options.maxPassBytes : Infinity
    for (const wanted of rows.values()) {
      left -= yield* wanted.read(this.connection, left)
      if (left < 0) return undefined
    }
    const completed = new Map<Operation, Operation | undefined>()
    for (const { operation } of pass) {
      if (!operation) continue
      completed.set(
        operation,
        'rowIds' in operation
          ? this.presentRows(operation, rows)
          : presentSchema(this.schema(), operation),
      )
    }
    return completed
  }

  private wantedRows(pass: readonly Piece[]): Map<string, PresentRows> {
    const rows = new Map<string, PresentRows>()
    for (const { operation } of pass) {
      if (!operation || !this.rebuilds(operation)) continue
      const table = this.tableOf(operation)
      if (!table) continue
      const wanted = rows.get(table.tableId) ?? new PresentRows(table)
      rows.set(table.tableId, wanted)
      wanted.want(operation.rowIds, this.columnsOf(table, operation))
    }
    return rows
  }

  private presentRows(
    operation: RowOperation,
    rows: ReadonlyMap<string, PresentRows>,
  ): RowOperation | undefined {
    const table = this.tableOf(operation)
    if (!table) return undefined
    const { kind, tableRef } = operation
    const head = { kind, table: table.tableId, tableRef }
    const columns = this.columnsOf(table, operation)
    if (kind === 'remove_rows')
      return { ...head, rowIds: operation.rowIds, columns: columns.map(describe) }
    const present = rows.get(table.tableId)
    const rowIds = present?.existing(operation.rowIds) ?? []
    if (!present || rowIds.length === 0 || columns.length === 0) return undefined
    const cells = (column: Column): ColumnValues => ({
      ...describe(column),
      new: present.cellsOf(column, rowIds),
    })
    return { ...head, rowIds, columns: columns.map(cells) }
  }

  private tableOf({ tableRef, table }: RowOperation): Table | undefined {
    if (tableRef > 0) return this.schema().findByRef(tableRef)
    return findMetadataColumns(table) && this.schema().getReadable(table)
  }

  /** The columns of an operation that still exist; all columns of the table when whole rows are wanted. */
  private columnsOf(table: Table, { tableRef, columns, kind }: RowOperation): readonly Column[] {
    if (tableRef <= 0) return columns.flatMap(({ id }) => table.byId.get(id) ?? [])
    if (this.options.fullRows && kind === 'update_rows') return table.columns
    const refs = new Set(columns.map(({ ref }) => ref))
    return table.columns.filter(({ ref }) => refs.has(ref))
  }
}

function describe({ id, ref, typeName: type }: Column): Omit<ColumnValues, 'old' | 'new'> {
  return { id, ref, type }
}

function presentSchema(schema: Schema, operation: SchemaOperation): SchemaOperation | undefined {
  const { kind, tableRef, columnRef, new: after } = operation
  const table = schema.findByRef(tableRef)
  const column = table?.columns.find(({ ref }) => ref === columnRef)
  const head = { kind, table: table?.tableId ?? '', tableRef, column: column?.id ?? '', columnRef }
  if (kind === 'remove_table') return head
  if (!table || kind === 'remove_column') return table && head
  if (columnRef === 0) return { ...head, new: presentTable(after, table) }
  return column && { ...head, new: pick(after, presentColumn(column)) }
}

function presentTable(after: object | undefined, table: Table): object {
  const { columns, ...named } = (after ?? {}) as {
    readonly columns?: readonly { readonly colRef: number }[]
  }
  const present = columns?.flatMap((known) => presentAmong(table, known))
  return { ...pick(named, table), ...(present && { columns: present }) }
}

function presentAmong(table: Table, known: { readonly colRef: number }): object[] {
  const column = table.columns.find(({ ref }) => ref === known.colRef)
  return column ? [pick(known, presentColumn(column))] : []
}

function presentColumn(column: Column): object {
  return { colRef: column.ref, ...wholeMetadata(column) }
}

/** The values of now, for the names in `named`. */
function pick(named: object | undefined, present: object): object {
  const values = new Map(Object.entries(present))
  return Object.fromEntries(Object.keys(named ?? {}).map((name) => [name, values.get(name)]))
}
