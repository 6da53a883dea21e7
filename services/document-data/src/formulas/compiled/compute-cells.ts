import type { LogValue } from '../../store/log/log'
import type { StoredValue } from '../../values/column-type'
import type { Connection } from '../../store/sqlite/connections'
import type { ColumnResults } from '../exchange/exchange'
import type { DoneMessage } from '../exchange/messages'
import { CellReader, type LookupIndexes } from './cell-reader'
import { ComputeBudget } from './compute-budget'
import { readRows, type RowCells, type WantedRows } from './row-cells'
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
  const reader = new CellReader(connection, indexes, totals, new ComputeBudget())
  return computeWith(reader, column, readRows(connection, column, wanted), () => false)
}

/** Cells of a column that are computed in parts, with what was read and spent for the earlier ones. */
export class PartComputer {
  private readonly budget = new ComputeBudget()
  private readonly reader: CellReader
  private isBegun = false
  private isLeft = false

  constructor(
    private readonly connection: Connection,
    private readonly column: CompiledColumn,
    { indexes, totals }: LookupAids,
  ) {
    this.reader = new CellReader(connection, indexes, totals, this.budget)
  }

  /** True when the parts have taken so long that no further cell is computed. */
  get isSpent(): boolean {
    return this.budget.isSpent
  }

  /**
   * Computes a part, in one turn of the event loop. It ends before a row that takes too long. What follows is left to
   * Python if that is the first row of all, if Python has cells to compute anyway, or if it is faster at the lookups.
   */
  compute(wanted: WantedRows): ComputedCells {
    this.budget.resume()
    const rows = readRows(this.connection, this.column, wanted)
    const ends = (isLeft: boolean) => {
      const isEnd = this.budget.isSpent && this.isBegun && !this.isLeft && !this.reader.isScanning
      this.isBegun = true
      this.isLeft ||= isLeft && !isEnd
      return isEnd
    }
    const computed = computeWith(this.reader, this.column, rows, ends)
    this.budget.pause()
    return computed
  }
}

/** `ends` is told of each row whether it is left to Python; where it returns true, the row is not computed yet. */
function computeWith(
  reader: CellReader,
  column: CompiledColumn,
  { ids, columns, before }: RowCells,
  ends: (isLeft: boolean) => boolean,
): ComputedCells {
  const begun = performance.now()
  const results = { rowIds: [] as number[], values: [] as StoredValue[], before: [] as LogValue[] }
  const left: number[] = []
  let errors = 0
  const cells: LogValue[] = []
  for (const [index, row] of ids.entries()) {
    columns.forEach((list, place) => (cells[place] = list[index] ?? null))
    const stored = computeCell(column.formula, { row, cells, names: [], source: reader })
    if (ends(stored === undefined)) break
    if (stored === undefined) {
      left.push(row)
      continue
    }
    if (stored instanceof FormulaError) errors++
    results.rowIds.push(row)
    results.values.push(stored instanceof FormulaError ? encodeError(stored) : stored)
    results.before.push(before[index] ?? null)
  }
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
    const uses = [...reader.takeUses(lookup)]
    const texts = [...new Set(uses.flatMap(([, keys]) => [...keys]))]
    const places = new Map(texts.map((text, place) => [text, place]))
    const keys = uses.map(([, used]) => [...used].map((text) => places.get(text) ?? 0))
    return { column: ref, lookup: message, rows: uses.map(([row]) => row), texts, keys }
  })
  const relations = [{ column: ref, reads: formula.reads }]
  return { type: 'done', relations, lookups, volatile: [] }
}
