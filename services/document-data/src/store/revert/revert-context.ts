import type { ColumnMetadata } from '../schema/column-metadata'
import type { DocumentWriter } from '../document'
import type { Operation, SchemaOperation, Targets } from '../log/log'
import { clearReferences } from '../records/references'
import { currentType, targetOf } from '../schema/reference-targets'
import { nextRef } from '../schema/refs'
import type { Column, Table } from '../schema/schema'
import { NextGroup } from '../sqlite/write-group'
import { findLaterCells, type LaterCells, type LaterColumn } from './later-cells'
import { Conflicts } from './revert-conflicts'

/** Metadata of a column that refer to other columns. */
type ColumnLinks = Pick<ColumnMetadata, 'visibleCol' | 'displayCol' | 'rules' | 'recalcDeps'>

/**
 * The reversal of one change, from its last operation to its first, within one write. What cannot be
 * checked before all steps are done, because other steps affect it, is recorded here and checked at the end.
 */
export class RevertContext {
  readonly conflicts: Conflicts
  /** True when nothing was written since the change, so that everything it referred to is unchanged. */
  readonly isLatest: boolean
  /** Ids that have been restored to tables. */
  readonly renamed = new Set<string>()
  /** Refs of the restored tables. */
  private readonly returning: ReadonlySet<number>
  private readonly goneRows = new Map<number, number[]>()
  private readonly goneColumns = new Map<number, { tableId: string; colId: string }>()
  private readonly goneTables = new Set<string>()
  private readonly restored: { tableId: string; colId: string; links: ColumnLinks }[] = []

  constructor(
    readonly doc: DocumentWriter,
    private readonly seq: number,
    operations: readonly Operation[],
  ) {
    this.conflicts = new Conflicts(seq)
    this.isLatest = seq === doc.seq
    this.returning = new Set(
      operations.filter(({ kind }) => kind === 'remove_table').map(({ tableRef }) => tableRef),
    )
  }

  /** The table of an operation; undefined, after recording a conflict, when it no longer exists. */
  findTable({ tableRef, table: tableId }: Operation): Table | undefined {
    const table = this.doc.schema.findByRef(tableRef)
    if (!table) this.conflicts.addTable(tableId)
    return table
  }

  /** Like `table`, where the reversal cannot continue without it. Throws `conflict`. */
  requireTable(operation: Operation): Table {
    const table = this.findTable(operation)
    this.conflicts.requireNone()
    return table as Table
  }

  /** The column of an operation; undefined, after recording a conflict, when it no longer exists. */
  findColumn(table: Table, { column: colId, columnRef }: SchemaOperation): Column | undefined {
    const column = table.columns.find(({ ref }) => ref === columnRef)
    if (!column) this.conflicts.addColumn(table.tableId, colId)
    return column
  }

  /**
   * A former type in current terms; undefined, after recording a conflict, when its table no longer exists.
   */
  typeOf(typeName: string, targets: Targets | undefined): string | undefined {
    const tableId = targetOf(typeName)
    // Tables restored by this reversal have their former ids.
    if (tableId === undefined || this.returning.has(targets?.[tableId] ?? 0)) return typeName
    const now = currentType(this.doc.schema, typeName, targets)
    if (now === undefined) this.conflicts.addTable(tableId)
    return now
  }

  /** True when the type set by the change is still in effect. */
  isSameType(typeName: string, now: string, targets: Targets | undefined): boolean {
    return (currentType(this.doc.schema, typeName, targets) ?? typeName) === now
  }

  /** The cells of a column that were written after the change; undefined when that would take too long to find out. */
  findLaterCells(column: Omit<LaterColumn, 'after'>): LaterCells | undefined {
    // Earlier writes of the same group are not in the log yet.
    if (this.doc.isBehind) throw new NextGroup()
    return findLaterCells(this.doc, { ...column, after: this.seq })
  }

  /** Records that rows have been removed again. */
  rowsGone({ ref }: Table, rowIds: readonly number[]): void {
    this.goneRows.set(ref, [...(this.goneRows.get(ref) ?? []), ...rowIds])
  }

  /** Records that a column has been removed again. */
  columnGone({ tableId }: Table, { ref, id: colId }: Column): void {
    this.goneColumns.set(ref, { tableId, colId })
  }

  /** Records that a table has been removed again. */
  tableGone(table: Table): void {
    this.goneTables.add(table.tableId)
    for (const column of table.columns) this.columnGone(table, column)
  }

  /** Records that the metadata of a column are restored. */
  columnRestored({ tableId }: Table, { colId, ...links }: ColumnLinks & { colId: string }): void {
    this.restored.push({ tableId, colId, links })
  }

  /**
   * Ends the reversal. Throws `conflict` when later objects refer to removed ones, or restored ones to
   * missing ones.
   */
  finish(): void {
    if (!this.isLatest) {
      this.checkRows()
      this.checkLinks()
      this.checkTypes()
    }
    this.conflicts.requireNone()
  }

  private checkRows(): void {
    const { connection, schema } = this.doc
    for (const [ref, rowIds] of this.goneRows) {
      const table = schema.findByRef(ref)
      if (!table) continue
      for (const change of clearReferences(connection, schema, table, rowIds))
        this.conflicts.addRows(change.table.tableId, change.rowIds)
    }
  }

  private checkLinks(): void {
    const { schema, connection } = this.doc
    const there = new Set(schema.tables.flatMap(({ columns }) => columns.map(({ ref }) => ref)))
    if (this.goneColumns.size > 0)
      for (const { tableId, columns } of schema.tables)
        for (const column of columns)
          if (linksOf(column).some((ref) => this.goneColumns.has(ref) && !there.has(ref)))
            this.conflicts.addColumn(tableId, column.id)
    if (this.restored.length === 0) return
    // A ref that was never assigned belongs to no column, before or after.
    const next = nextRef(connection, 'column')
    for (const { tableId, colId, links } of this.restored)
      if (linksOf(links).some((ref) => ref < next && !there.has(ref)))
        this.conflicts.addColumn(tableId, colId)
  }

  private checkTypes(): void {
    const { schema } = this.doc
    for (const { tableId, columns } of schema.tables)
      for (const { id, typeName } of columns) {
        const target = targetOf(typeName)
        if (target === undefined || !this.goneTables.has(target)) continue
        if (!schema.find(target)) this.conflicts.addColumn(tableId, id)
      }
  }
}

/** Refs of columns in the metadata of a column. */
function linksOf({ visibleCol, displayCol, rules, recalcDeps }: ColumnLinks): number[] {
  const lists = [rules, recalcDeps].flatMap((list) =>
    list === null ? [] : (JSON.parse(list) as number[]),
  )
  return [visibleCol, displayCol, ...lists].filter((ref) => ref !== 0)
}
