import type { RowOperation } from '@sheaf/client'
import type { Column } from '../api/resources'
import { columnName } from '../formats/column'
import { choicesOf } from '../formats/widget-options'
import { toOperators } from '../grid/filter/condition-filter'
import { emptyValues, valueFamily } from '../grid/filter/conditions'
import type { Filter } from '../grid/view/grid-view'

/** A lane of a board: the rows with a value of its column. */
export interface Lane {
  readonly key: string
  /** Null for the lane of rows without a value. */
  readonly value: unknown
}

/** Lanes at most. Rows with other values are not on the board. */
export const MAX_LANES = 100

const EMPTY = 'empty'
const EMPTY_LANE: Lane = { key: EMPTY, value: null }

const typeOf = ({ fields: { type } }: Column): string => type.split(':', 1)[0] ?? ''

/** Returns the key of the lane to which a value of a column belongs. */
export function laneKey(value: unknown, column: Column): string {
  if (valueFamily(column) === 'bool') return value === true ? 'true' : EMPTY
  const isEmpty = value === undefined || emptyValues(column).includes(value)
  return isEmpty ? EMPTY : JSON.stringify(value)
}

/** Returns true for a column whose lanes are known without its values. */
export const hasFixedLanes = (column: Column): boolean => valueFamily(column) === 'bool'

/** What decides about the lanes of a column. */
interface LaneRules {
  /** The values that the column has. */
  readonly values: readonly unknown[]
  readonly isDescending: boolean
  /** Returns the text of a value, by which values are ordered. */
  readonly textOf: (value: unknown) => string
}

/**
 * Returns the lanes of a column: that of rows without a value, those of its choices in their order, and those of other values
 * that it has, in alphabetical or numerical order.
 */
export function lanesOf(
  column: Column,
  { values, isDescending, textOf }: LaneRules,
): readonly Lane[] {
  const toLane = (value: unknown): Lane => ({ key: laneKey(value, column), value })
  const choices = typeOf(column) === 'Choice' ? choicesOf(column) : []
  const fixed = hasFixedLanes(column) ? [true] : choices
  const isNumber = ['Int', 'Numeric'].includes(typeOf(column))
  const inOrder = (one: unknown, other: unknown) =>
    isNumber && typeof one === 'number' && typeof other === 'number'
      ? one - other
      : textOf(one).localeCompare(textOf(other), undefined, { numeric: true })
  const others = values.filter(isPlain).sort(inOrder)
  const byKey = new Map([...fixed, ...others].map(toLane).map((lane) => [lane.key, lane]))
  byKey.delete(EMPTY)
  const filled = [...byKey.values()]
  if (isDescending) filled.reverse()
  return [EMPTY_LANE, ...filled.slice(0, MAX_LANES - 1)]
}

/** The values of a column, as far as they are listed, with the number of rows that have each. */
export interface ListedValues {
  readonly values: readonly { readonly value: unknown; readonly count: number }[]
  /** Number of all values. */
  readonly total: number
}

/** What a board does not show: values that have no lane. */
export interface HiddenValues {
  readonly values: number
  readonly rows: number
  /** False if there may be more rows, as not all values are listed. */
  readonly isExact: boolean
}

/** Returns what lanes do not show; undefined if each value has a lane. */
export function hiddenValues(
  column: Column,
  lanes: readonly Lane[],
  { values, total }: ListedValues,
): HiddenValues | undefined {
  if (hasFixedLanes(column)) return undefined
  const shown = new Set(lanes.map(({ key }) => key))
  const hidden = values.filter(({ value }) => !shown.has(laneKey(value, column)))
  const unlisted = total - values.length
  if (hidden.length + unlisted === 0) return undefined
  const rows = hidden.reduce((sum, { count }) => sum + count, unlisted)
  return { values: hidden.length + unlisted, rows, isExact: unlisted === 0 }
}

/** Lists, errors and others that are written as arrays have no lane. */
const isPlain = (value: unknown): boolean => typeof value !== 'object' && value !== undefined

/** Returns the title of a lane. The text of its value is that of the column. */
export function laneTitle(
  { key, value }: Lane,
  column: Column,
  textOf: LaneRules['textOf'],
): string {
  const name = columnName(column)
  if (hasFixedLanes(column)) return `${name}: ${key === EMPTY ? 'No' : 'Yes'}`
  return key === EMPTY ? `No ${name}` : textOf(value)
}

/** Returns the filter of the rows of a lane, of those that pass another one. */
export function laneFilter({ key, value }: Lane, column: Column, filter: Filter): Filter {
  const isEmpty = key === EMPTY
  const kind = hasFixedLanes(column) ? 'unchecked' : 'empty'
  const own = isEmpty ? toOperators({ kind, values: [] }, column) : [value]
  const ofLane = { [column.id]: own }
  return Object.keys(filter).length === 0 ? ofLane : { and: [filter, ofLane] }
}

/** Returns what is written into the cell of a row that comes into a lane. */
export const laneValue = ({ value }: Lane, column: Column): unknown =>
  hasFixedLanes(column) ? value === true : value

/**
 * Returns false for a change of rows that neither brings a row into a lane, nor takes one out of it, as far as is known from the
 * values of its column before and after.
 */
export function changesLane(
  { columns, action }: RowOperation,
  { key }: Lane,
  column: Column,
): boolean {
  const cells = columns[column.id]
  // Cells of added rows that are not listed are empty.
  if (!cells) return action !== 'addRows' || key === EMPTY
  const sides = {
    addRows: [cells.new],
    updateRows: [cells.old, cells.new],
    removeRows: [cells.old],
  }[action]
  return sides.some((values) => !values || values.some((value) => laneKey(value, column) === key))
}
