import { AppError } from '@sheaf/kit/errors'
import type {
  ColumnChange,
  Operation,
  RowChange,
  SchemaChange,
} from '@sheaf/protos/sheaf/events/v1/changes'

/** A name before and after; null where there is none. */
export type Rename = readonly [before: string | null, after: string | null]

/** A cell before and after: a list of its only value, or null where there is no cell. */
export type CellDelta = readonly [
  before: readonly [unknown] | null,
  after: readonly [unknown] | null,
]

/** What differs between two states, in the form of the Grist API. */
export interface DocumentDelta {
  readonly tableRenames: readonly Rename[]
  /** By table id; that of a removed table has a minus sign before it. */
  readonly tableDeltas: Readonly<Record<string, TableDelta>>
}

/** What differs in one table. */
export interface TableDelta {
  readonly updateRows: readonly number[]
  readonly removeRows: readonly number[]
  readonly addRows: readonly number[]
  /** Cells by column id and row id. */
  readonly columnDeltas: Readonly<Record<string, Readonly<Record<string, CellDelta>>>>
  readonly columnRenames: readonly Rename[]
}

/** Bytes of the row ids and cells of one answer, about: an answer is made in memory. */
const MAX_BYTES = 16 * 1024 * 1024
/** Bytes of a row id in JSON, about. */
const ID_BYTES = 8

type RowList = 'addRows' | 'updateRows' | 'removeRows'

class OpenTable {
  readonly rows: Record<RowList, number[]> = { updateRows: [], removeRows: [], addRows: [] }
  readonly cells = new Map<string, Map<number, CellDelta>>()
  readonly columnRenames: Rename[] = []

  constructor(readonly name: string) {}

  addCell(column: string, rowId: number, cell: CellDelta): void {
    const cells = this.cells.get(column) ?? new Map<number, CellDelta>()
    this.cells.set(column, cells.set(rowId, cell))
  }

  /** Columns and rows as members of objects. */
  get delta(): TableDelta {
    const columns = [...this.cells].map(([id, cells]) => [id, Object.fromEntries(cells)] as const)
    const { rows, columnRenames } = this
    return { ...rows, columnDeltas: Object.fromEntries(columns), columnRenames }
  }
}

/** Collects differences in the form of the Grist API, which has no changes of metadata other than names. */
export class DeltaCollector {
  private readonly tableRenames: Rename[] = []
  private readonly tables = new Map<number, OpenTable>()
  private bytes = 0

  /** @param maxRows number of added, of changed and of removed rows of each table whose cells are kept */
  constructor(private readonly maxRows: number) {}

  /** Adds an operation. Throws `too_large` when there are too many rows and cells for one answer. */
  add({ operation }: Operation): void {
    if (!operation) throw new Error('a comparison has an unknown operation')
    if (operation.$case === 'schema') this.addStructure(operation.value)
    else this.addRows(operation.$case, operation.value)
  }

  /** All that was added. */
  get delta(): DocumentDelta {
    const tables = [...this.tables.values()].map((table) => [table.name, table.delta] as const)
    return { tableRenames: this.tableRenames, tableDeltas: Object.fromEntries(tables) }
  }

  private addStructure(change: SchemaChange): void {
    const { kind, tableId, tableRef, colId } = change
    if (kind === 'remove_table') {
      this.tableRenames.push([tableId, null])
      this.open(tableRef, `-${tableId}`).columnRenames.push(...removed(columnsOf(change.oldJson)))
    } else if (kind === 'add_table') {
      this.tableRenames.push([null, tableId])
      this.open(tableRef, tableId).columnRenames.push(...added(columnsOf(change.newJson)))
    } else if (kind === 'update_table') {
      const name = fieldOf(change.newJson, 'tableId')
      if (name === undefined) return
      this.tableRenames.push([tableId, name])
      this.open(tableRef, name)
    } else if (kind === 'add_column') {
      this.open(tableRef, tableId).columnRenames.push(...added([colId]))
    } else if (kind === 'remove_column') {
      this.open(tableRef, tableId).columnRenames.push(...removed([colId]))
    } else {
      const name = fieldOf(change.newJson, 'colId')
      if (name !== undefined) this.open(tableRef, tableId).columnRenames.push([colId, name])
    }
  }

  private addRows(list: RowList, { tableId, tableRef, rowIds, columns }: RowChange): void {
    const table = this.open(tableRef, tableId)
    const room = Math.max(0, this.maxRows - table.rows[list].length)
    this.charge(rowIds.length * ID_BYTES)
    for (const rowId of rowIds) table.rows[list].push(rowId)
    const shown = rowIds.slice(0, room)
    if (shown.length > 0) for (const column of columns) this.addCells(table, shown, column)
  }

  private addCells(table: OpenTable, rowIds: readonly number[], column: ColumnChange): void {
    const { colId, oldValuesJson, newValuesJson } = column
    const before = valuesOf(oldValuesJson)
    const after = valuesOf(newValuesJson)
    rowIds.forEach((rowId, index) => {
      const cell = [before && [before[index]], after && [after[index]]] as CellDelta
      this.charge(JSON.stringify(cell).length)
      table.addCell(colId, rowId, cell)
    })
  }

  private open(tableRef: number, name: string): OpenTable {
    const table = this.tables.get(tableRef) ?? new OpenTable(name)
    this.tables.set(tableRef, table)
    return table
  }

  private charge(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > MAX_BYTES)
      throw new AppError(
        'too_large',
        'COMPARISON_TOO_LARGE',
        'the documents differ too much for one answer: use a smaller maxRows, or compare the moments of each document',
      )
  }
}

const added = (names: readonly string[]) => names.map((name): Rename => [null, name])
const removed = (names: readonly string[]) => names.map((name): Rename => [name, null])

/** The ids of the columns of a described table. */
function columnsOf(json: Buffer): string[] {
  const { columns = [] } = JSON.parse(json.toString()) as { columns?: { colId: string }[] }
  return columns.map(({ colId }) => colId)
}

function fieldOf(json: Buffer, name: string): string | undefined {
  return (JSON.parse(json.toString()) as Record<string, string | undefined>)[name]
}

/** The values of a list; null for rows that did not exist. */
function valuesOf(json: Buffer): unknown[] | null {
  return json.length === 0 ? null : (JSON.parse(json.toString()) as unknown[])
}
