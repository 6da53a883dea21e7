import { quoteId } from '../../quoting/quote'
import { fromLog, type LogValue } from '../../store/log/log'
import type { Connection } from '../../store/sqlite/connections'
import type { ColumnResults } from '../exchange/exchange'
import type { DirtyMessage, DoneMessage } from '../exchange/messages'
import { CellReader, type LookupIndexes } from './cell-reader'
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
  wanted: DirtyMessage,
  { indexes, totals }: LookupAids,
): ComputedCells {
  const begun = performance.now()
  const reader = new CellReader(connection, indexes, totals)
  const results: ColumnResults = { rowIds: [], values: [] }
  const left: number[] = []
  let errors = 0
  for (const [row, ...cells] of readRows(connection, column, wanted)) {
    const stored = computeCell(column.formula, { row, cells, names: [], source: reader })
    if (stored === undefined) {
      left.push(row)
      continue
    }
    if (stored instanceof FormulaError) errors++
    results.rowIds.push(row)
    results.values.push(fromLog(stored instanceof FormulaError ? encodeError(stored) : stored))
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
    const stored = encode(run(frame))
    return typeof stored === 'string' && stored.length > LONG_RESULT ? needsPython() : stored
  } catch (error) {
    // Whatever else stops it, such as a number beyond all bounds, Python reports as it does.
    return error instanceof FormulaError ? error : undefined
  }
}

function readRows(
  connection: Connection,
  { of: { table }, formula: { ownColumns } }: CompiledColumn,
  wanted: DirtyMessage,
): [number, ...LogValue[]][] {
  const names = ['id', ...ownColumns.map(({ column }) => column.id)].map(quoteId).join(', ')
  const from = `SELECT ${names} FROM ${quoteId(table.tableId)} WHERE id`
  if (!('rows' in wanted))
    return connection
      .raw<[number, ...LogValue[]]>(`${from} BETWEEN ? AND ? ORDER BY id`)
      .all(wanted.from, wanted.to)
  return connection
    .raw<[number, ...LogValue[]]>(`${from} IN (SELECT value FROM json_each(?)) ORDER BY id`)
    .all(JSON.stringify(wanted.rows))
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
