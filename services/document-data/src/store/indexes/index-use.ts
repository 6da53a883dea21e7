import type { Condition } from '../../query/filter'
import type { Connection } from '../sqlite/connections'
import type { Column, Table } from '../schema/schema'
import type { AutoIndexes, IndexStep } from './auto-indexes'

/** A look-up that scanned a whole table. */
interface Scan {
  readonly table: Table
  readonly column: Column
  readonly rows: number
  readonly condition: Condition
}

/**
 * The automatic indexes, as used by writes. Misses are collected until the write is on disk, since an index
 * is built by another connection.
 */
export class IndexUse {
  private scans: Scan[] = []

  constructor(private readonly indexes: AutoIndexes) {}

  /** True when there is an index on the column. */
  has(table: Table, column: Column): boolean {
    return this.indexes.has(table, column.ref)
  }

  /** Records that an index saved a look-up from examining this many rows. */
  used(table: Table, column: Column, rows: number): void {
    this.indexes.used(table, column.ref, rows)
  }

  /** Records that a look-up by this condition on the column scanned the table. */
  missed(scan: Scan): void {
    this.scans.push(scan)
  }

  /** Calls `build` for each index that is due. Must not be called within a transaction. */
  improve(connection: Connection, build: (step: IndexStep) => void): void {
    const scans = this.scans
    if (scans.length > 0) this.scans = []
    for (const { table, column, rows, condition } of scans) {
      if (this.indexes.has(table, column.ref)) continue
      if (!this.indexes.scanned(table, column.ref, rows)) continue
      const step = this.indexes.buildStep(connection, table, column, condition)
      if (step) build(step)
    }
  }

  /** Discards the misses of a write that was rolled back. */
  forget(): void {
    this.scans = []
  }
}
