import type { LogValue, Operation, RowOperation } from '../../store/log/log'
import { quoteId } from '../../quoting/quote'
import type { Schema } from '../../store/schema/schema'
import { triggerColumnsOf } from '../../store/schema/trigger-columns'
import type { Connection } from '../../store/sqlite/connections'
import type { GroupEntry } from '../../store/documents/derived-group'
import type { Dependencies, LookupUser, Reader } from './dependencies'
import { DirtyCells, type CellSet } from './dirty-cells'
import { firedBy } from './fired-triggers'
import { columnsOf, type ColumnOfTable } from './formula-columns'
import { keysOfRows, rowsLookingUp } from './lookup-keys'
import { findRenamedOnly } from './renamed-formulas'
import { changedStructure, seesOwnTable, type StructureChange } from './structure-change'
import { traceBack } from './trace-back'

/** What a search for dirty cells needs of the open transaction. */
export interface FinderParts {
  readonly connection: Connection
  readonly schema: Schema
  readonly dependencies: Dependencies
  /** Rows of one column beyond which all of it is dirty. */
  readonly maxRows: number
  /** False for an undo, which restores what trigger formulas have changed. */
  readonly runsTriggers: boolean
  /** Cells of trigger columns that are not computed: those that the writes have given, and those computed already. */
  readonly settled: CellSet
}

interface Change {
  readonly of: ColumnOfTable
  readonly rows: readonly number[] | 'all'
  readonly seq: number
}

/**
 * Finds the cells that depend on changes: directly, over references and lookups, and over other formulas. Cells that
 * might depend on them are included; none is missing, provided that the relations are complete.
 */
export class DirtyFinder {
  readonly dirty = new DirtyCells()
  /**
   * Formula columns by ref of which nothing is known any more: new or changed ones, and those whose relations were
   * assumed, when they are computed as a whole.
   */
  readonly renewed = new Set<number>()
  private readonly queue: Change[] = []
  /** While writes are gone through backwards: values of cells before the later ones. */
  private readonly earlier = new Map<number, Map<number, LogValue>>()

  constructor(private readonly parts: FinderParts) {}

  /**
   * Adds what depends on these writes. They are gone through from the last to the first, so that a cell belongs to the
   * last write that concerns it, and so that lookups see each key that a row had in between.
   */
  addEntries(entries: readonly GroupEntry[]): void {
    for (const entry of [...entries].reverse()) {
      const { seq, operations } = entry
      this.fire(entry)
      const unchanged = findRenamedOnly(operations)
      for (const operation of [...operations].reverse()) {
        if ('rowIds' in operation) this.addRows(operation, seq)
        else if (!operation.follows || !unchanged.has(operation.columnRef))
          this.addStructure(changedStructure(operation), { seq, unchanged })
        this.propagate()
      }
    }
    this.earlier.clear()
  }

  /** Marks cells of a trigger column whose formula runs, and what depends on them. */
  addFired(of: ColumnOfTable, rows: readonly number[], seq: number): void {
    const { fired } = this.dirty.column(of)
    for (const row of rows) fired.add(row)
    this.markTriggers(of, rows, seq)
    this.propagate()
  }

  /** Marks cells of a formula column, and what depends on them. */
  add(of: ColumnOfTable, rows: readonly number[] | 'all', seq: number): void {
    this.mark(of, rows, seq)
    this.propagate()
  }

  /** Lets the trigger formulas that name a computed column run in rows in which its cell has changed. */
  fireBy(columnRef: number, rowIds: readonly number[]): void {
    for (const { column } of triggerColumnsOf(this.parts.schema).byDep.get(columnRef) ?? []) {
      const dirty = this.dirty.columns.get(column.ref)
      for (const row of rowIds) if (dirty?.rows.has(row)) dirty.fired.add(row)
    }
  }

  /** Marks what looks up the keys that these rows have now, except the cells of `done`. */
  addLookups(of: ColumnOfTable, rowIds: readonly number[], { seq, done }: NewKeys): void {
    for (const user of this.parts.dependencies.lookupsBy(of.column.ref)) {
      const rows = this.rowsByKeys(user, rowIds)
      const others = rows.filter((row) => !done(user.of.column.ref, row))
      this.mark(user.of, others, seq)
    }
    this.propagate()
  }

  /** Marks the cells whose trigger formulas the write runs. */
  private fire(entry: GroupEntry): void {
    if (entry.writings.size === 0) return
    const { fired, written } = firedBy(entry, this.parts.schema)
    this.parts.settled.addAll(written)
    for (const [of, rows] of fired) this.addFired(of, rows, entry.seq)
  }

  /**
   * Marks cells of a trigger column. Of more rows than a write computes, none: their formulas run because of the results.
   */
  private markTriggers(of: ColumnOfTable, rows: readonly number[] | 'all', seq: number): void {
    const { connection, settled, maxRows, runsTriggers } = this.parts
    if (!runsTriggers) return
    const wanted = rows === 'all' ? rowsOf(connection, of, maxRows) : rows
    const open = wanted.filter((row) => !settled.has(of.column.ref, row))
    const added = this.dirty.mark(of, open, { seq, maxRows: Infinity })
    if (added.length > 0) this.enqueue(of, added, seq)
  }

  private addRows(operation: RowOperation, seq: number): void {
    const { schema } = this.parts
    const table = schema.findByRef(operation.tableRef)
    if (!table) return
    const { kind, rowIds } = operation
    const { byRef, computed } = columnsOf(schema)
    if (kind === 'add_rows')
      for (const of of computed) if (of.table === table) this.mark(of, rowIds, seq)
    if (kind === 'update_rows') {
      const changed = operation.columns.flatMap(({ ref }) => byRef.get(ref) ?? [])
      for (const of of changed) this.enqueue(of, rowIds, seq)
      const users = new Set(
        changed.flatMap(({ column }) => this.parts.dependencies.lookupsBy(column.ref)),
      )
      this.addKeys([...users], operation, seq)
      return
    }
    this.addKeys(this.parts.dependencies.lookupsIn(table.ref), operation, seq)
    for (const reader of this.parts.dependencies.readersOfRows(table.ref))
      if (typeof reader.read.from !== 'number' || reader.read.path.length > 0)
        this.markReader(reader, rowIds, seq)
  }

  /** Marks what looks up the keys that the rows had after and before the operation. */
  private addKeys(users: readonly LookupUser[], operation: RowOperation, seq: number): void {
    const { rowIds, kind } = operation
    const mark = () => {
      for (const user of users) this.mark(user.of, this.rowsByKeys(user, rowIds), seq)
    }
    if (kind !== 'remove_rows') mark()
    this.goBack(operation)
    if (kind !== 'add_rows') mark()
  }

  private goBack({ rowIds, columns }: RowOperation): void {
    for (const { ref, old } of columns) {
      if (!old || this.parts.dependencies.lookupsBy(ref).length === 0) continue
      const values = this.earlier.get(ref) ?? new Map<number, LogValue>()
      this.earlier.set(ref, values)
      rowIds.forEach((id, index) => values.set(id, old[index] ?? null))
    }
  }

  private rowsByKeys(user: LookupUser, rowIds: readonly number[]): number[] {
    const { connection, schema } = this.parts
    const { lookup } = user
    return rowsLookingUp(
      connection,
      user,
      keysOfRows(connection, schema, { lookup, rowIds, others: this.earlier }),
    )
  }

  private addStructure(
    change: StructureChange | undefined,
    { seq, unchanged }: { readonly seq: number; readonly unchanged: ReadonlySet<number> },
  ): void {
    if (!change) return
    if (change.isRename) return this.addRename(change, seq, unchanged)
    const { byRef, computed } = columnsOf(this.parts.schema)
    this.addNewTable(change, seq)
    this.addRenamedTable(change, seq)
    for (const ref of change.columns) {
      const of = byRef.get(ref)
      const isFormula = of !== undefined && computed.includes(of)
      // A trigger formula that is new or has changed runs with the next write.
      if (change.renews && (isFormula || of?.column.triggerStopped)) this.renewed.add(ref)
      if (isFormula) this.mark(of, 'all', seq)
      else this.enqueueReaders(ref, seq)
    }
    for (const { of } of change.tables.flatMap((ref) => [
      ...this.parts.dependencies.readersOfRows(ref),
      ...this.parts.dependencies.lookupsIn(ref),
    ]))
      this.mark(of, 'all', seq)
    this.addMentions(change, seq)
  }

  private addNewTable({ newTable }: StructureChange, seq: number): void {
    for (const of of columnsOf(this.parts.schema).computed)
      if (of.table.ref === newTable) {
        this.renewed.add(of.column.ref)
        this.mark(of, 'all', seq)
      }
  }

  /** Marks the formulas of a renamed table that may have its name in their results, and not in their text. */
  private addRenamedTable({ renamedTable }: StructureChange, seq: number): void {
    for (const of of columnsOf(this.parts.schema).computed)
      if (of.table.ref === renamedTable && seesOwnTable(of.column.formula))
        this.mark(of, 'all', seq)
  }

  /** Marks what reads or names a renamed column, except formulas that only follow the rename. */
  private addRename(
    { columns, mentions }: StructureChange,
    seq: number,
    unchanged: ReadonlySet<number>,
  ): void {
    const { dependencies, schema } = this.parts
    const users = columns.flatMap((ref) => [
      ...dependencies.readersOf(ref),
      ...dependencies.lookupsBy(ref),
    ])
    const named = columnsOf(schema).computed.filter(({ column }) => mentions(column.formula))
    for (const of of [...users.map((user) => user.of), ...named])
      if (!unchanged.has(of.column.ref)) this.mark(of, 'all', seq)
  }

  /** Marks what names a table or column that came or went, in a formula or as the target of a reference. */
  private addMentions({ mentions }: StructureChange, seq: number): void {
    const { byRef, computed } = columnsOf(this.parts.schema)
    for (const of of computed) if (mentions(of.column.formula)) this.mark(of, 'all', seq)
    for (const of of byRef.values())
      if (mentions(of.column.typeName)) {
        if (computed.includes(of)) this.mark(of, 'all', seq)
        else this.enqueueReaders(of.column.ref, seq)
      }
  }

  private enqueueReaders(ref: number, seq: number): void {
    const { dependencies } = this.parts
    for (const { of } of [...dependencies.readersOf(ref), ...dependencies.lookupsBy(ref)])
      this.mark(of, 'all', seq)
  }

  private mark(of: ColumnOfTable, rows: readonly number[] | 'all', seq: number): void {
    if (rows !== 'all' && rows.length === 0) return
    const added = this.dirty.mark(of, rows, { seq, maxRows: this.parts.maxRows })
    const { ref } = of.column
    if (added === 'all' && this.parts.dependencies.relationsOf(ref).assumed) this.renewed.add(ref)
    if (added === 'all' || added.length > 0) this.enqueue(of, added, seq)
  }

  private enqueue(of: ColumnOfTable, rows: readonly number[] | 'all', seq: number): void {
    const { dependencies, schema } = this.parts
    const { ref } = of.column
    if (
      dependencies.readersOf(ref).length > 0 ||
      dependencies.lookupsBy(ref).length > 0 ||
      triggerColumnsOf(schema).byDep.has(ref)
    )
      this.queue.push({ of, rows, seq })
  }

  private propagate(): void {
    const { dependencies, schema } = this.parts
    const { byDep } = triggerColumnsOf(schema)
    for (let change = this.queue.pop(); change; change = this.queue.pop()) {
      const { of, rows, seq } = change
      // Changes of data by the write itself are in `fire`.
      if (this.dirty.columns.has(of.column.ref))
        for (const trigger of byDep.get(of.column.ref) ?? []) this.markTriggers(trigger, rows, seq)
      for (const reader of dependencies.readersOf(of.column.ref)) this.markReader(reader, rows, seq)
      for (const user of dependencies.lookupsBy(of.column.ref))
        this.mark(user.of, rows === 'all' ? 'all' : this.rowsByKeys(user, rows), seq)
    }
  }

  private markReader({ of, read }: Reader, rows: readonly number[] | 'all', seq: number): void {
    if (this.dirty.columns.get(of.column.ref)?.all !== undefined) return
    this.mark(of, this.rowsReading({ of, read }, rows), seq)
  }

  /** The rows of a formula column whose reads concern these rows. */
  private rowsReading({ of, read }: Reader, rows: readonly number[] | 'all') {
    if (rows === 'all' || read.from === 'any') return 'all'
    const { connection, schema, dependencies } = this.parts
    const begin = traceBack(connection, schema, read.path, rows)
    if (begin === 'all' || read.from === 'row') return begin
    const lookup = dependencies.relationsOf(of.column.ref).lookups[read.from]
    if (!lookup) return 'all'
    return this.rowsByKeys({ of, lookup, position: read.from }, begin)
  }
}

/** The rows of the column's table; none if they are more than `max`. */
function rowsOf(connection: Connection, { table }: ColumnOfTable, max: number): number[] {
  const rows = connection
    .pluck<number>(`SELECT id FROM ${quoteId(table.tableId)} LIMIT ${max + 1}`)
    .all()
  return rows.length > max ? [] : rows
}

/** The cells that were computed already. */
export interface NewKeys {
  readonly seq: number
  readonly done: (columnRef: number, rowId: number) => boolean
}

/** True when the operations change tables or columns. */
export function changesStructure(operations: readonly Operation[]): boolean {
  return operations.some((operation) => !('rowIds' in operation))
}
