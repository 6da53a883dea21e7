import { setImmediate as nextTurn } from 'node:timers/promises'
import { quoteId } from '../quoting/quote'
import type { Table } from '../store/schema/schema'
import type { DerivedGroup } from '../store/documents/derived-group'
import { findCompiled, orderCompiled, type CompiledColumn } from './compiled/compiled-columns'
import { countAtMost } from './compiled/cell-reader'
import { indexedColumn } from './compiled/frame'
import {
  computeCells,
  PartComputer,
  type ComputedCells,
  type LookupAids,
} from './compiled/compute-cells'
import type { FormulaLookup } from './compiled/formula-parts'
import type { LookupTotals } from './compiled/lookup-totals'
import type { ColumnOfTable } from './dependencies/formula-columns'
import type { DirtyMessage } from './exchange/messages'

/** Rows of a table whose lookups need no index: reading all of them takes about a millisecond. */
const SMALL_TABLE = 20_000
/** The same for pending cells, for which all rows are read once for many keys. */
const GROUPED_TABLE = 100_000
/** Rows that are computed without letting other work run: a few milliseconds of the event loop. */
const ROWS_AT_ONCE = 1_000

/** Cells of one column that were computed without Python. */
export interface ComputedColumn extends ComputedCells {
  readonly of: ColumnOfTable
}

/** Cells of one column that a request has asked for. */
export interface ComputedRequest extends ComputedColumn {
  readonly asked: readonly number[] | 'all'
}

/** What computing the cells of a request needs beside the group. */
export interface Compiling {
  /** Refs of columns whose cells are left to Python. */
  readonly forPython: ReadonlySet<number>
  readonly totals: LookupTotals
}

/**
 * Computes the cells of a request that need no Python. Each column has to be
 * stored before the next one is computed, which may read it.
 */
export function* computeCompiled(
  group: DerivedGroup,
  request: readonly DirtyMessage[],
  { forPython, totals }: Compiling,
): Generator<ComputedRequest> {
  const { connection, schema } = group
  const wanted = new Map(request.map((message) => [message.ref, message]))
  const isPossible = (column: CompiledColumn) =>
    !forPython.has(column.of.column.ref) && areIndexed(group, withoutTotals(column))
  /** Columns of which Python has to compute cells first, so that what reads them waits. */
  const unfinished = new Set<number>()
  for (const column of orderCompiled(schema, new Set(wanted.keys()), isPossible)) {
    const { ref } = column.of.column
    const message = wanted.get(ref)
    if (!message || [...column.formula.columns.keys()].some((read) => unfinished.has(read))) {
      unfinished.add(ref)
      continue
    }
    const computed = computeCells(connection, column, message, aidsOf(group, totals))
    if (computed.left.length > 0) unfinished.add(ref)
    yield { of: column.of, asked: 'rows' in message ? message.rows : 'all', ...computed }
  }
}

/** A formula column whose pending cells need no Python now. */
export function findComputable(group: DerivedGroup, columnRef: number): CompiledColumn | undefined {
  const column = findCompiled(group.schema, columnRef)
  return column && areIndexed(group, column.formula.lookups, GROUPED_TABLE) ? column : undefined
}

/** What became of a range of rows. */
export interface ComputedParts {
  /** Rows that only Python computes. */
  readonly left: readonly number[]
  readonly rows: number
  /** The row up to which the range was computed. */
  readonly to: number
  /** Milliseconds that computing and storing took. */
  readonly ms: number
}

/** How a range of rows is computed. */
interface Steps {
  readonly signal: AbortSignal
  readonly totals: LookupTotals
  /** Stores computed cells. */
  readonly take: (computed: ComputedColumn) => void
}

/**
 * Computes the cells of a column in a range of rows, in parts between which other work runs. When these have taken too
 * long, it ends before the end of the range; what even the first row is too long for is left to Python.
 */
export async function computeInParts(
  group: DerivedGroup,
  column: CompiledColumn,
  { from, to }: { readonly from: number; readonly to: number },
  { signal, totals, take }: Steps,
): Promise<ComputedParts> {
  const computer = new PartComputer(group.connection, column, aidsOf(group, totals))
  const left: number[] = []
  let [rows, ms, next] = [0, 0, from]
  while (!signal.aborted) {
    const begun = performance.now()
    const computed = computer.compute({ from: next, to, limit: ROWS_AT_ONCE })
    take({ of: column.of, ...computed })
    left.push(...computed.left)
    const { rowIds } = computed.results
    const count = rowIds.length + computed.left.length
    next = Math.max(rowIds.at(-1) ?? 0, computed.left.at(-1) ?? 0, next - 1) + 1
    rows += count
    ms += performance.now() - begun
    if (computer.isSpent) return { left, rows, to: next - 1, ms }
    if (count < ROWS_AT_ONCE) break
    await nextTurn()
  }
  return { left, rows, to, ms }
}

function aidsOf(group: DerivedGroup, totals: LookupTotals): LookupAids {
  const { indexes } = group
  return {
    totals,
    indexes: {
      has: ({ table, column }) => indexes?.has(table, column) ?? false,
      used: ({ table, column }, rows) => indexes?.used(table, column, rows),
      missed: (of) => void missIndex(group, of),
    },
  }
}

/** Rows that are only added up are read once for each key, as long as the document is open. */
function withoutTotals({ formula }: CompiledColumn): readonly FormulaLookup[] {
  return formula.lookups.filter(({ isTotal }) => !isTotal)
}

/**
 * True when no lookup of a formula reads a table of more than `limit` rows for each key. For large tables, an index may be
 * due in any case.
 */
function areIndexed(
  group: DerivedGroup,
  lookups: readonly FormulaLookup[],
  limit = SMALL_TABLE,
): boolean {
  const missing = lookups.filter(({ lookup }) => {
    const indexed = indexedColumn(lookup)
    if (!indexed) return !isSmall(group, lookup.table)
    if (group.indexes?.has(indexed.table, indexed.column) || !missIndex(group, indexed))
      return false
    return lookup.contains.includes(true) || countAtMost(group.connection, lookup.table) > limit
  })
  return missing.length === 0
}

/** True for a table in which a lookup may read all rows. */
function isSmall({ connection }: DerivedGroup, table: Table): boolean {
  return countAtMost(connection, table) <= SMALL_TABLE
}

/** Records that a lookup would read all rows of a large table. Returns false for a small one. */
function missIndex(group: DerivedGroup, { table, column }: ColumnOfTable): boolean {
  const { connection, indexes } = group
  if (isSmall(group, table)) return false
  const from = quoteId(table.tableId)
  const rows = countAtMost(connection, table)
  const name = quoteId(column.id)
  const sql = `${name} IS (SELECT ${name} FROM ${from} ORDER BY id DESC LIMIT 1)`
  indexes?.missed({ table, column, rows, condition: { sql, params: [] } })
  return true
}
