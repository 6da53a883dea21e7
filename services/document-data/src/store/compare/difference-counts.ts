import type { Operation } from '../log/log'

/** How many of the rows or columns of a table differ. */
interface Counts {
  added: number
  removed: number
  changed: number
}

/** The differences of one table. */
export interface TableCounts {
  /** Its id at the second moment; at the first one if it is removed. */
  tableId: string
  /** 0 for attachments, -2 for views. */
  readonly tableRef: number
  /** What became of the table itself: `changed` when it was renamed, or has other metadata. */
  change: 'added' | 'removed' | 'changed' | 'none'
  /** Columns of a table that exists at both moments. */
  readonly columns: Counts
  readonly rows: Counts
}

const nothing = (): Counts => ({ added: 0, removed: 0, changed: 0 })

const kinds = {
  add_rows: 'added',
  remove_rows: 'removed',
  update_rows: 'changed',
  add_table: 'added',
  remove_table: 'removed',
  update_table: 'changed',
  add_column: 'added',
  remove_column: 'removed',
  update_column: 'changed',
} as const

/** Counts differences by table. */
export class DifferenceCounts {
  private readonly byRef = new Map<number, TableCounts>()

  /** The tables with differences, by ref. */
  get tables(): readonly TableCounts[] {
    return [...this.byRef.values()].sort((a, b) => a.tableRef - b.tableRef)
  }

  /** Adds an operation of a comparison. */
  add(operation: Operation): void {
    const table = this.tableOf(operation)
    const kind = kinds[operation.kind]
    if ('rowIds' in operation) table.rows[kind] += operation.rowIds.length
    else if (operation.columnRef !== 0) table.columns[kind]++
    else table.change = kind
    // The id after a rename is that of the later operations, or is in the new metadata.
    const { tableId = operation.table } = ('rowIds' in operation ? {} : (operation.new ?? {})) as {
      readonly tableId?: string
    }
    table.tableId = tableId
  }

  private tableOf({ tableRef, table }: Operation): TableCounts {
    const known = this.byRef.get(tableRef)
    if (known) return known
    const counts: TableCounts = {
      tableId: table,
      tableRef,
      change: 'none',
      columns: nothing(),
      rows: nothing(),
    }
    this.byRef.set(tableRef, counts)
    return counts
  }
}
