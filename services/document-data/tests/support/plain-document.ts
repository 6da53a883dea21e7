import { quoteId } from '../../src/quoting/quote'
import { sendableOperation, type SendableOperation } from '../../src/store/feed/change-parts'
import { logValue, type LogValue, type Operation, type RowOperation } from '../../src/store/log/log'
import { wholeMetadata } from '../../src/store/schema/column-metadata'
import { readSchema } from '../../src/store/schema/schema'
import { pairTables } from '../../src/store/compare/table-pairs'
import type { Connection } from '../../src/store/sqlite/connections'
import { columnType } from '../../src/values/column-types'
import { loggedCells } from '../../src/values/logged-cells'

type Cell = unknown
interface PlainColumn {
  metadata: Record<string, unknown>
  cells: Map<number, Cell>
}
interface PlainTable {
  metadata: Record<string, unknown>
  rows: Set<number>
  columns: Map<number | string, PlainColumn>
}

/** The cell of a stored value, as clients see it. */
function cellOf(type: string, value: LogValue): Cell {
  return (JSON.parse(loggedCells(type, [value]).toString()) as Cell[])[0]
}

/** A document in plain maps, by refs and row ids, to which operations of a comparison are applied by their JSON alone. */
export class PlainDocument {
  constructor(readonly tables: Map<number, PlainTable>) {}

  /** What can be compared. */
  get contents(): unknown {
    return [...this.tables]
      .sort(([a], [b]) => a - b)
      .map(([ref, { metadata, rows, columns }]) => ({
        ref,
        metadata,
        rows: [...rows].sort((a, b) => a - b),
        columns: [...columns]
          .map(([key, { metadata: of, cells }]) => ({
            key,
            of,
            cells: [...cells].sort(([a], [b]) => a - b),
          }))
          .sort((a, b) => String(a.key).localeCompare(String(b.key))),
      }))
  }

  apply(operations: readonly Operation[]): void {
    for (const operation of operations) this.applyOne(sendableOperation(operation, true))
  }

  private applyOne(operation: SendableOperation): void {
    if ('rowIds' in operation) this.applyRows(operation)
    else this.applySchema(operation)
  }

  private applyRows(operation: Extract<SendableOperation, { rowIds: readonly number[] }>): void {
    const { kind, tableRef, rowIds } = operation
    const table = this.tables.get(tableRef)
    // The rows of a removed table.
    if (!table) return
    changeIds(table, kind, rowIds)
    if (kind === 'remove_rows') return
    for (const { id, ref, old, new: after } of operation.columns) {
      const column = table.columns.get(ref || id)
      if (!column) throw new Error(`there is no column ${id}`)
      const [before, now] = [old, after].map((json) => {
        return json.length > 0 ? (JSON.parse(json.toString()) as Cell[]) : undefined
      })
      rowIds.forEach((rowId, i) => {
        const known = JSON.stringify(column.cells.get(rowId))
        if (before && JSON.stringify(before[i]) !== known)
          throw new Error(`old ${JSON.stringify(before[i])} is not ${known}`)
        column.cells.set(rowId, now?.[i])
      })
    }
  }

  private applySchema(operation: Exclude<SendableOperation, { rowIds: readonly number[] }>): void {
    const { kind, tableRef, columnRef } = operation
    const after = (operation.new.length > 0 ? JSON.parse(operation.new.toString()) : {}) as Record<
      string,
      unknown
    >
    if (kind === 'remove_table') {
      this.tables.delete(tableRef)
      return
    }
    if (kind === 'add_table') {
      const { columns, ...metadata } = after as { columns: Record<string, unknown>[] }
      const added: PlainTable = { metadata, rows: new Set(), columns: new Map() }
      for (const { colRef, ...of } of columns)
        added.columns.set(colRef as number, { metadata: of, cells: new Map() })
      this.tables.set(tableRef, added)
      return
    }
    const table = this.tables.get(tableRef)
    if (!table) throw new Error(`there is no table ${tableRef}`)
    const column = table.columns.get(columnRef)
    if (kind === 'update_table') Object.assign(table.metadata, after)
    else if (kind === 'remove_column') table.columns.delete(columnRef)
    else if (kind === 'add_column') this.addColumn(table, columnRef, after)
    else if (column) Object.assign(column.metadata, after)
    else throw new Error(`there is no column ${columnRef}`)
  }

  private addColumn(
    table: PlainTable,
    ref: number,
    { colRef: _, ...metadata }: object & { colRef?: unknown },
  ): void {
    const { type, isFormula, formula } = metadata as {
      type: string
      isFormula: boolean
      formula: string
    }
    const isComputed = isFormula && formula !== ''
    const initial = isComputed ? null : logValue(columnType(type).defaultValue)
    const cell = cellOf(type, initial)
    const cells = new Map([...table.rows].map((id) => [id, cell]))
    table.columns.set(ref, { metadata: { ...metadata }, cells })
  }
}

/** Adds or removes rows; changed ones must be there. */
function changeIds(
  { rows, columns }: PlainTable,
  kind: RowOperation['kind'],
  rowIds: readonly number[],
): void {
  for (const id of rowIds) {
    if (rows.has(id) === (kind === 'add_rows')) throw new Error(`${kind}: row ${id}`)
    if (kind === 'add_rows') rows.add(id)
    if (kind !== 'remove_rows') continue
    rows.delete(id)
    for (const { cells } of columns.values()) cells.delete(id)
  }
}

/** Reads a document whole. */
export function modelOf(connection: Connection): PlainDocument {
  const schema = readSchema(connection)
  const tables = new Map<number, PlainTable>()
  for (const { ref, after: table } of pairTables(schema, schema)) {
    if (!table) continue
    const names = ['id', ...table.columns.map(({ id }) => id)].map(quoteId).join(', ')
    const rows = connection
      .raw<[number, ...LogValue[]]>(`SELECT ${names} FROM ${quoteId(table.tableId)} ORDER BY id`)
      .all()
    const { tableId, onDemand, primaryViewId, summarySourceTable } = table
    const { rawViewSectionRef, recordCardViewSectionRef } = table
    const views = { primaryViewId, summarySourceTable, rawViewSectionRef, recordCardViewSectionRef }
    tables.set(ref, {
      metadata: ref === 0 ? {} : { tableId, onDemand, ...views },
      rows: new Set(rows.map(([id]) => id)),
      columns: new Map(
        table.columns.map((column, i) => [
          column.ref || column.id,
          {
            metadata: { ...wholeMetadata(column) },
            cells: new Map(
              rows.map((row) => [row[0], cellOf(column.typeName, row[i + 1] ?? null)]),
            ),
          },
        ]),
      ),
    })
  }
  return new PlainDocument(tables)
}
