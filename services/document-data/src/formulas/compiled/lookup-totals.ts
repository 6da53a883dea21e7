import { quoteId } from '../../quoting/quote'
import type { ChangedCells } from '../../store/documents/derived-group'
import type { LogValue, Operation, RowOperation } from '../../store/log/log'
import type { Connection } from '../../store/sqlite/connections'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import { keyText } from '../dependencies/lookup-keys'
import type { CompiledLookup, Total, TotalOf } from './frame'
import { hasZeroBlank } from './stored-values'

/** Keys of one lookup whose totals are kept, and lookups of a document. */
const MAX_KEYS = 500
const MAX_LOOKUPS = 50
/** Changed rows of a group of writes beyond which totals are computed anew. */
const MAX_CHANGES = 5_000

/** Kept totals of one lookup. */
interface KeptTotals {
  readonly of: TotalOf
  readonly byKey: Map<string, MutableTotal>
}

type MutableTotal = { -readonly [name in keyof Total]: Total[name] }

/** A row as it was before a group of writes; cells that are not among `old` are as before. */
interface ChangedRow {
  readonly existed: boolean
  readonly old: Map<number, LogValue>
}

/**
 * What the rows of lookups add up to, for the keys that were looked up in a document since it was opened. Each write
 * changes a total by its difference, so that a count or a sum over very many rows costs no more than one over few. Of the
 * open transaction; `clear` must follow a rollback.
 */
export class LookupTotals {
  private readonly kept = new Map<string, KeptTotals>()

  /** The total of a key, if it is kept. */
  find({ lookup, value }: TotalOf, key: string): Total | undefined {
    return this.kept.get(idOf(lookup, value))?.byKey.get(key)
  }

  /** Keeps the total of a key. */
  keep(of: TotalOf, key: string, total: Total): void {
    const id = idOf(of.lookup, of.value)
    if (this.kept.size >= MAX_LOOKUPS && !this.kept.has(id)) this.kept.clear()
    const { byKey } = this.kept.get(id) ?? { byKey: new Map<string, MutableTotal>() }
    this.kept.set(id, { of, byKey })
    const [oldest] = byKey.keys()
    if (byKey.size >= MAX_KEYS && oldest !== undefined) byKey.delete(oldest)
    byKey.set(key, { ...total })
  }

  /** Forgets all totals. */
  clear(): void {
    this.kept.clear()
  }

  /** Follows computed cells that are stored. */
  followCells(
    connection: Connection,
    { table, column }: ColumnOfTable,
    { rowIds, old }: Pick<ChangedCells, 'rowIds' | 'old'>,
  ): void {
    const columns = [{ id: column.id, ref: column.ref, type: column.typeName, old }]
    const operation = { kind: 'update_rows', table: table.tableId, tableRef: table.ref } as const
    this.follow(connection, [{ ...operation, rowIds, columns }])
  }

  /** Follows all writes of a group, which are applied, in their order. Those of tables or columns end all totals. */
  follow(connection: Connection, operations: readonly Operation[]): void {
    if (this.kept.size === 0) return
    const rows = operations.filter((operation): operation is RowOperation => 'rowIds' in operation)
    if (rows.length < operations.length) return this.clear()
    const tables = new Set([...this.kept.values()].map(({ of }) => of.lookup.table.ref))
    for (const ref of tables) {
      const changed = changedRows(rows.filter(({ tableRef }) => tableRef === ref))
      if (changed.size > 0) this.change(connection, ref, changed)
    }
  }

  private change(
    connection: Connection,
    tableRef: number,
    changed: ReadonlyMap<number, ChangedRow>,
  ): void {
    for (const [id, { of, byKey }] of this.kept) {
      if (of.lookup.table.ref !== tableRef) continue
      const isKnown = changed.size <= MAX_CHANGES && changeTotals(connection, of, byKey, changed)
      if (!isKnown) this.kept.delete(id)
    }
  }
}

/** Adds up the rows that a lookup finds; `cells` are those of the column to add up. */
export function totalOf(cells: Iterable<LogValue>): Total {
  const total = { rows: 0, numbers: 0, fractions: 0, others: 0, sum: 0, size: 0 }
  for (const cell of cells) add(total, cell, 1)
  return total
}

function add(total: MutableTotal, cell: LogValue, sign: 1 | -1): void {
  total.rows += sign
  if (cell === null) return
  if (typeof cell === 'number' && Number.isSafeInteger(cell)) {
    total.numbers += sign
    total.sum += sign * cell
    total.size += sign * Math.abs(cell)
  } else if (typeof cell === 'number' && !Number.isInteger(cell)) total.fractions += sign
  else total.others += sign
}

/** Changes totals by rows; false when something about these is not known. */
function changeTotals(
  connection: Connection,
  of: TotalOf,
  byKey: Map<string, MutableTotal>,
  changed: ReadonlyMap<number, ChangedRow>,
): boolean {
  const { lookup, value } = of
  const columns = [...lookup.columns, ...(value ? [value] : [])]
  const now = readCells(connection, { table: lookup.table, columns }, [...changed.keys()])
  const apply = (cells: readonly LogValue[], sign: 1 | -1) => {
    const text = rowKey(lookup, cells)
    const total = byKey.get(text)
    if (!total) return
    add(total, (value && cells.at(-1)) ?? null, sign)
    // Beyond this sums of floats are not exact, and what is taken from them leaves a rest.
    if (total.size > Number.MAX_SAFE_INTEGER) byKey.delete(text)
  }
  for (const [row, { existed, old }] of changed) {
    const after = now.get(row)
    const before = columns.map(({ column }, place) =>
      old.has(column.ref) ? old.get(column.ref) : after?.[place],
    )
    if (existed && !before.every((cell) => cell !== undefined)) return false
    if (existed) apply(before as LogValue[], -1)
    if (after) apply(after, 1)
  }
  return true
}

function readCells(
  connection: Connection,
  { table, columns }: Pick<CompiledLookup, 'table' | 'columns'>,
  rowIds: readonly number[],
): Map<number, LogValue[]> {
  const names = ['id', ...columns.map(({ column }) => column.id)].map(quoteId).join(', ')
  const from = quoteId(table.tableId)
  return new Map(
    connection
      .raw<[number, ...LogValue[]]>(
        `SELECT ${names} FROM ${from} WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(rowIds))
      .map(([id, ...cells]) => [id, cells]),
  )
}

/** The text of the key under which a lookup finds a row. */
function rowKey({ columns }: CompiledLookup, cells: readonly LogValue[]): string {
  return keyText(
    columns.map(({ column }, place) => {
      const cell = cells[place] ?? null
      return cell === null && hasZeroBlank(column) ? 0 : cell
    }),
  )
}

/** The rows that writes have changed, as they were before. */
function changedRows(operations: readonly RowOperation[]): Map<number, ChangedRow> {
  const changed = new Map<number, ChangedRow>()
  for (const { kind, rowIds, columns } of operations)
    rowIds.forEach((id, index) => {
      const known = changed.get(id)
      const row = known ?? { existed: kind !== 'add_rows', old: new Map<number, LogValue>() }
      changed.set(id, row)
      for (const { ref, old } of columns)
        if (old && row.existed && !row.old.has(ref)) row.old.set(ref, old[index] ?? null)
    })
  return changed
}

function idOf({ table, columns }: CompiledLookup, value: ColumnOfTable | undefined): string {
  return `${table.ref}:${columns.map(({ column }) => column.ref).join()}:${value?.column.ref ?? ''}`
}
