import type { StoredValue } from '../../values/column-type'
import type { Writing } from '../document'
import type { IndexUse } from '../indexes/index-use'
import type { DueChange } from '../log/due-changes'
import {
  logValue,
  type Author,
  type ColumnValues,
  type LogValue,
  type Operation,
  type RowOperation,
} from '../log/log'
import type { Column, Schema, Table } from '../schema/schema'
import { triggerColumnsOf } from '../schema/trigger-columns'
import type { Connection } from '../sqlite/connections'
import { ColumnCells } from './column-cells'
import type { DeriveTrace, WriteTrace } from './write-trace'

/** A write of the group that changed something. */
export interface GroupEntry {
  readonly seq: number
  readonly author: Author
  readonly operations: readonly Operation[]
  /** See `DocumentWriter.writings`. */
  readonly writings: ReadonlyMap<Operation, Writing>
  /** Follows the write if it is traced. */
  readonly trace?: WriteTrace
}

/**
 * True when a write may run trigger formulas, or is an undo, which runs none: the next write belongs to another group,
 * because it has to see their results.
 */
export function mayRunTriggers(entry: GroupEntry | undefined, schema: Schema): boolean {
  const { all, byTable, isRemote } = triggerColumnsOf(schema)
  if (!entry || all.length === 0) return false
  const { author, operations, writings } = entry
  if (isRemote || author.cause === 'undo') return true
  return writings.size > 0 && operations.some(({ tableRef }) => byTable.has(tableRef))
}

/** Work that a group does beside its writes. */
export type GroupTask = 'pending' | 'volatile'

/** Computed cells of one column; `values` are in the order of `rowIds`. */
export interface DerivedCells {
  readonly table: Table
  readonly column: Column
  readonly rowIds: readonly number[]
  readonly values: readonly StoredValue[]
  /** The stored cells, if they are known. */
  readonly before?: readonly (LogValue | undefined)[]
  /** The seq of the entry to which each cell belongs. */
  readonly owners: (rowId: number) => number
}

/** Cells of a column that changed, with their values before and after. */
export interface ChangedCells {
  readonly rowIds: readonly number[]
  readonly old: readonly LogValue[]
  readonly new: readonly LogValue[]
}

/** What DerivedGroup needs of the document that owns the transaction. */
export interface GroupOwner {
  readonly docId: string
  readonly connection: Connection
  readonly tasks: ReadonlySet<GroupTask>
  /** The automatic indexes of the document; absent for a copy. */
  readonly indexes?: IndexUse
  /** The writes of the open transaction that changed something, in their order. */
  entries(): readonly GroupEntry[]
  /** The schema within the transaction. */
  schema(): Schema
  /** Must follow every change of tables, columns or what is known of formulas. */
  schemaChanged(): void
  /** Adds an entry of the system after those of the writes. */
  beginEntry(operations: readonly Operation[]): void
  extendEntry(seq: number, operations: readonly Operation[]): void
  /** Adds a change of due cells, which was applied, to the records of the transaction. */
  noteDue(change: DueChange): void
}

/** The changed cells of a column that belong to one entry. */
interface GatheredCells {
  readonly table: Table
  readonly column: Column
  readonly rowIds: number[]
  readonly old: LogValue[]
  readonly new: LogValue[]
}

/** Of one entry: the changed cells by column ref, in parts in which row ids ascend. */
type Gathered = Map<number, GatheredCells[]>

/**
 * The writes of one open transaction, to which computed cells are added. It is valid until the transaction ends.
 * Nothing that it changes outlives a transaction that is rolled back.
 */
export class DerivedGroup {
  private readonly gathered = new Map<number, Gathered>()

  /** The writes that changed something, in their order. */
  readonly entries: readonly GroupEntry[]

  constructor(private readonly owner: GroupOwner) {
    this.entries = owner.entries()
  }

  /** The id of the document. */
  get docId(): string {
    return this.owner.docId
  }

  /** The connection that holds the transaction. */
  get connection(): Connection {
    return this.owner.connection
  }

  /** See `GroupOwner.indexes`. */
  get indexes(): IndexUse | undefined {
    return this.owner.indexes
  }

  /** Work to do beside the writes. */
  get tasks(): ReadonlySet<GroupTask> {
    return this.owner.tasks
  }

  /** The schema within the transaction. */
  get schema(): Schema {
    return this.owner.schema()
  }

  /** The owner of cells that belong to no write of the group: an entry of the system, begun when it is needed. */
  static readonly OWN_ENTRY = 0

  /** The user who wrote last, in this group or before it; 0 when the log names none. */
  findLatestUser(): number {
    const written = this.entries.findLast(({ author }) => author.userId > 0)
    if (written) return written.author.userId
    const sql = 'SELECT user FROM _sheaf_log WHERE user > 0 ORDER BY seq DESC LIMIT 1'
    return this.connection.pluck<number>(sql).get() ?? 0
  }

  /** See `GroupOwner.schemaChanged`. */
  schemaChanged(): void {
    this.owner.schemaChanged()
  }

  /** See `GroupOwner.noteDue`. */
  noteDue(change: DueChange): void {
    this.owner.noteDue(change)
  }

  /** Begins to trace that formulas are computed for the group; undefined when none of its writes is traced. */
  trace(): DeriveTrace | undefined {
    const [first, ...others] = this.entries.flatMap(({ trace }) => trace ?? [])
    return first?.derives(others)
  }

  /** Stores computed cells that differ from the stored ones, and returns those. */
  write(cells: DerivedCells): ChangedCells {
    const changed = this.store(cells)
    const byOwner = new Map<number, number[]>()
    changed.rowIds.forEach((id, index) => {
      const seq = cells.owners(id)
      const indexes = byOwner.get(seq)
      if (indexes) indexes.push(index)
      else byOwner.set(seq, [index])
    })
    for (const [seq, indexes] of byOwner) this.gather(seq, cells, changed, indexes)
    return changed
  }

  /** Adds what was written to the entries. Must be called once, after the last write. */
  finish(): void {
    for (const [seq, byColumn] of this.gathered) {
      const operations = operationsOf([...byColumn.values()].flat())
      if (seq !== DerivedGroup.OWN_ENTRY) this.owner.extendEntry(seq, operations)
      else this.owner.beginEntry(operations)
    }
    this.gathered.clear()
  }

  private gather(
    seq: number,
    { table, column }: DerivedCells,
    changed: ChangedCells,
    indexes: readonly number[],
  ): void {
    const of: Gathered = this.gathered.get(seq) ?? new Map<number, GatheredCells[]>()
    this.gathered.set(seq, of)
    const parts = of.get(column.ref) ?? []
    of.set(column.ref, parts)
    let cells = parts.at(-1)
    const first = changed.rowIds[indexes[0] ?? 0] ?? 0
    if (!cells || first <= (cells.rowIds.at(-1) ?? 0)) {
      cells = { table, column, rowIds: [], old: [], new: [] }
      parts.push(cells)
    }
    for (const index of indexes) {
      cells.rowIds.push(changed.rowIds[index] as number)
      cells.old.push(changed.old[index] as LogValue)
      cells.new.push(changed.new[index] as LogValue)
    }
  }

  private store({ table, column, rowIds, values, before: known }: DerivedCells): ChangedCells {
    const cells = new ColumnCells(this.connection, { table, column })
    const before = known ?? cells.read(rowIds)
    const changed = { rowIds: [] as number[], old: [] as LogValue[], new: [] as LogValue[] }
    rowIds.forEach((id, index) => {
      const old = before[index]
      const after = logValue(values[index] ?? null)
      if (old === undefined || old === after) return
      changed.rowIds.push(id)
      changed.old.push(old)
      changed.new.push(after)
    })
    cells.write(changed.rowIds, changed.new)
    return changed
  }
}

/** Columns of a table that changed in the same rows share an operation. */
function operationsOf(gathered: readonly GatheredCells[]): Operation[] {
  const operations = new Map<string, RowOperation & { readonly columns: ColumnValues[] }>()
  for (const { table, column, rowIds, old, new: values } of gathered) {
    // Results of trigger formulas are data: an undo restores what was there before.
    const { isFormula } = column
    const key = gathered.length > 1 ? `${table.ref}:${isFormula}:${rowIds.join()}` : ''
    const operation = operations.get(key) ?? {
      kind: 'update_rows',
      table: table.tableId,
      tableRef: table.ref,
      rowIds,
      columns: [],
      ...(isFormula ? { derived: true } : { fired: true }),
    }
    operations.set(key, operation)
    const { id, ref, typeName: type } = column
    operation.columns.push({ id, ref, type, old, new: values })
  }
  return [...operations.values()]
}
