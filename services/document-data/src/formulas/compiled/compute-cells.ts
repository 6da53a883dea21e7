import type { LogValue } from '../../store/log/log'
import type { StoredValue } from '../../values/column-type'
import type { Connection } from '../../store/sqlite/connections'
import type { ColumnResults } from '../exchange/exchange'
import type { DoneMessage } from '../exchange/messages'
import { CellReader, type LookupIndexes } from './cell-reader'
import { readRows, type WantedRows } from './row-cells'
import type { LookupTotals } from './lookup-totals'
import type { CompiledColumn } from './compiled-columns'
import type { CompiledFormula } from './compiled-formula'
import type { Frame } from './frame'
import { encodeError } from './stored-values'
import { FormulaError, needsPython } from './values/values'

/** Characters of a result that Python has to look at, because they may be too many for a cell. */
const LONG_RESULT = 100_000

/** What makes lookups short. */
export interface LookupAids {
  readonly indexes: LookupIndexes
  readonly totals: LookupTotals
}

/** Computed cells of one column, in the form of an exchange with an evaluator. */
export interface ComputedCells {
  readonly results: ColumnResults
  /** Rows that only Python computes. */
  readonly left: readonly number[]
  readonly done: DoneMessage
}

/** Computes cells of a column with its compiled formula, in rows that exist. */
export function computeCells(
  connection: Connection,
  column: CompiledColumn,
  wanted: WantedRows,
  { indexes, totals }: LookupAids,
): ComputedCells {
  const begun = performance.now()
  const reader = new CellReader(connection, indexes, totals)
  const results = { rowIds: [] as number[], values: [] as StoredValue[], before: [] as LogValue[] }
  const left: number[] = []
  let errors = 0
  const { ids, columns, before } = readRows(connection, column, wanted)
  const cells: LogValue[] = []
  ids.forEach((row, index) => {
    columns.forEach((list, place) => (cells[place] = list[index] ?? null))
    const stored = computeCell(column.formula, { row, cells, names: [], source: reader })
    if (stored === undefined) return left.push(row)
    if (stored instanceof FormulaError) errors++
    results.rowIds.push(row)
    results.values.push(stored instanceof FormulaError ? encodeError(stored) : stored)
    return results.before.push(before[index] ?? null)
  })
  const { ref } = column.of.column
  const micros = Math.round((performance.now() - begun) * 1000)
  const timing = { column: ref, cells: results.rowIds.length, errors, micros }
  return { results, left, done: { ...toDone(column, reader), timings: [timing] } }
}

/** The stored form of a result, or its error; undefined for a cell that only Python computes. */
function computeCell(
  { run, encode }: CompiledFormula,
  frame: Frame,
): LogValue | FormulaError | undefined {
  try {
    // Cells without a loop may take long as well.
    frame.source.spend(0)
    const stored = encode(run(frame))
    return typeof stored === 'string' && stored.length > LONG_RESULT ? needsPython() : stored
  } catch (error) {
    // Whatever else stops it, such as a number beyond all bounds, Python reports as it does.
    return error instanceof FormulaError ? error : undefined
  }
}

/** What the cells depend on, as an evaluator reports it. */
function toDone({ of, formula }: CompiledColumn, reader: CellReader): Omit<DoneMessage, 'timings'> {
  const { ref } = of.column
  const lookups = formula.lookups.map(({ lookup, message }) => {
    const uses = [...reader.usesOf(lookup)]
    const texts = [...new Set(uses.flatMap(([, keys]) => [...keys]))]
    const places = new Map(texts.map((text, place) => [text, place]))
    const keys = uses.map(([, used]) => [...used].map((text) => places.get(text) ?? 0))
    return { column: ref, lookup: message, rows: uses.map(([row]) => row), texts, keys }
  })
  const relations = [{ column: ref, reads: formula.reads }]
  return { type: 'done', relations, lookups, volatile: [] }
}
