import type { LogValue } from '../../store/log/log'
import type { Table } from '../../store/schema/schema'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import type { SortKey } from './row-order'
import type { Value } from './values/values'

/** A lookup of a compiled formula. */
export interface CompiledLookup {
  readonly table: Table
  /** The key columns, in the order of their names; without any, all rows are found. */
  readonly columns: readonly ColumnOfTable[]
  /** Of each key column, whether the key is an item of its list. */
  readonly contains: readonly boolean[]
  /** The order of the rows; those that are equal in it, or all without one, are in the order of their ids. */
  readonly order: readonly SortKey[]
}

/** The first key column whose index finds the rows; undefined when none does. */
export function indexedColumn({ columns, contains }: CompiledLookup): ColumnOfTable | undefined {
  return columns.find((_, place) => !contains[place])
}

/** What is added up: the rows that a lookup finds, and the cells of a column in them. */
export interface TotalOf {
  readonly lookup: CompiledLookup
  readonly value?: ColumnOfTable
}

/** The cells of a column in the rows that a lookup finds. */
export type CellsOf = Required<TotalOf>

/** What rows add up to. */
export interface Total {
  readonly rows: number
  /** Rows with a whole number, … */
  readonly numbers: number
  /** … with a fraction, … */
  readonly fractions: number
  /** … and with another value that is not blank. */
  readonly others: number
  /** The sum of the whole numbers, … */
  readonly sum: number
  /** … and of their magnitudes: up to 2^53 every order of adding gives the same sum. */
  readonly size: number
}

/** Reads what is not a cell of the own row. */
export interface CellSource {
  /** The stored cell of a row; the default of the column when there is no such row. */
  stored(of: ColumnOfTable, row: number): LogValue
  /** The rows that have these stored keys, in the order of the lookup. `row` is the one that looks them up. */
  find(lookup: CompiledLookup, keys: readonly LogValue[], row: number): readonly number[]
  /** The stored cells of a column in the rows that have these keys, by row id. */
  cells(of: CellsOf, keys: readonly LogValue[], row: number): readonly LogValue[]
  /** What the rows of `find` add up to. */
  total(of: TotalOf, keys: readonly LogValue[], row: number): Total
  /** Counts steps of a computation. Leaves the cell to Python when there were too many, or when they took too long. */
  spend(steps: number): void
}

/** The row for which a formula is computed. */
export interface Frame {
  readonly row: number
  /** Stored cells of the row: of the columns that the formula reads there, in their order. */
  readonly cells: readonly LogValue[]
  /** Values of the names that the formula assigns to. */
  readonly names: (Value | undefined)[]
  readonly source: CellSource
}

/** Computes a part of a formula. Throws what `raise` and `needsPython` throw. */
export type Run = (frame: Frame) => Value
