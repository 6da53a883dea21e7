import type { AggregateName } from '@sheaf/client'
import type { Column } from '../../api/resources'
import { formatCell } from '../../formats/cell'
import { formatNumber } from '../../formats/number'
import { widgetOptions } from '../../formats/widget-options'
import { readSummary, type Arrangement } from '../arrangement/arrangement'

/** Aggregates in one request of the API. */
const MAX_SUMMARIES = 200

/** Aggregates of every column. */
const COUNTS = ['filled', 'empty', 'unique'] as const satisfies AggregateName[]
const byType: Readonly<Record<string, readonly AggregateName[]>> = {
  Numeric: ['sum', 'average', 'min', 'max'],
  Int: ['sum', 'average', 'min', 'max'],
  Any: ['sum', 'average', 'min', 'max'],
  Bool: ['sum', 'average'],
  Date: ['min', 'max'],
  DateTime: ['min', 'max'],
}

const names: Readonly<Record<AggregateName, string>> = {
  filled: 'Filled',
  empty: 'Empty',
  unique: 'Unique',
  sum: 'Sum',
  average: 'Average',
  min: 'Minimum',
  max: 'Maximum',
}
const ofTruth: Readonly<Partial<Record<AggregateName, string>>> = {
  sum: 'Checked',
  average: 'Share checked',
}
const ofTime: Readonly<Partial<Record<AggregateName, string>>> = { min: 'Earliest', max: 'Latest' }
const namesByType: Readonly<Record<string, typeof ofTruth>> = {
  Bool: ofTruth,
  Date: ofTime,
  DateTime: ofTime,
}

const typeOf = ({ fields }: Column): string => fields.type.split(':', 1)[0] ?? ''

/** Returns the summaries that a column can have. */
export const summariesOf = (column: Column): readonly AggregateName[] => [
  ...COUNTS,
  ...(byType[typeOf(column)] ?? []),
]

/** Returns what a summary of a column is called. */
export const summaryLabel = (name: AggregateName, column: Column): string =>
  namesByType[typeOf(column)]?.[name] ?? names[name]

/** Formats a summary, numbers and dates as the column has them. Null, which is no number at all, is a dash. */
export function formatSummary(name: AggregateName, value: number | null, column: Column): string {
  if (value === null) return '–'
  const isTruth = typeOf(column) === 'Bool'
  if (name === 'average')
    return isTruth
      ? formatNumber(value, { numMode: 'percent', maxDecimals: 1 })
      : formatNumber(roundAverage(value), widgetOptions(column))
  const isCount = isTruth || name === 'filled' || name === 'empty' || name === 'unique'
  return isCount ? value.toLocaleString() : formatCell(value, column)
}

/** Two decimals, or three significant digits of small numbers; the column can have a format with more. */
const roundAverage = (value: number): number =>
  Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Number(value.toFixed(2))

/** A column with its summary. */
export interface ColumnSummary {
  readonly column: Column
  readonly name: AggregateName
}

/** Returns the summaries of shown columns. One that a column of its type cannot have is left out. */
export function shownSummaries(
  { columns }: Arrangement,
  shown: readonly Column[],
): readonly ColumnSummary[] {
  const chosen = new Map(columns.map(({ id, summary }) => [id, readSummary(summary)]))
  const found = shown.flatMap((column): ColumnSummary[] => {
    const name = chosen.get(column.id)
    return name && summariesOf(column).includes(name) ? [{ column, name }] : []
  })
  return found.slice(0, MAX_SUMMARIES)
}
