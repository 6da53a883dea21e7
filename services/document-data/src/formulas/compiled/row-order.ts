import type { LogValue } from '../../store/log/log'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import { hasWideCharacters } from './values/comparison'
import type { Decode } from './stored-values'
import { DateValue, MomentValue, needsPython, RecordValue, type Value } from './values/values'

/** What rows are sorted by: a column, or else their ids. */
export interface SortKey {
  readonly by?: { readonly of: ColumnOfTable; readonly decode: Decode }
  readonly isDescending: boolean
}

/** The columns that an order reads. */
export function sortColumns(order: readonly SortKey[]): ColumnOfTable[] {
  return order.flatMap(({ by }) => (by ? [by.of] : []))
}

/** Rows, given by id with the stored cells of the columns of an order, in that order; equal ones stay as they are. */
export function sortedIds(
  rows: readonly (readonly [number, ...LogValue[]])[],
  order: readonly SortKey[],
): number[] {
  // Python reads no cell when there is nothing to sort.
  if (rows.length < 2) return rows.map(([id]) => id)
  const places = order.map(({ by }, at) => (by ? sortColumns(order.slice(0, at)).length : -1))
  const keys = order.map(({ by }, at) =>
    rows.map(([id, ...cells]) => sortable(by ? by.decode(cells[places[at] ?? 0] ?? null) : id)),
  )
  return rows
    .map(([id], row) => ({ id, row }))
    .sort((a, b) => {
      for (const [at, { isDescending }] of order.entries()) {
        const difference = compare(keys[at]?.[a.row] ?? null, keys[at]?.[b.row] ?? null)
        if (difference !== 0) return isDescending ? -difference : difference
      }
      return 0
    })
    .map(({ id }) => id)
}

type Sortable = null | number | string

function sortable(value: Value): Sortable {
  if (typeof value === 'string') return hasWideCharacters(value) ? needsPython() : value
  if (value === null || typeof value === 'number') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value)
  if (value instanceof DateValue) return value.days
  if (value instanceof MomentValue) return value.seconds
  return value instanceof RecordValue ? value.row : needsPython()
}

/** Blanks are before numbers, and numbers before text. */
function rank(value: Sortable): number {
  return value === null ? 0 : typeof value === 'number' ? 1 : 2
}

function compare(a: Sortable, b: Sortable): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (a === null || b === null) return 0
  return a < b ? -1 : a > b ? 1 : 0
}
