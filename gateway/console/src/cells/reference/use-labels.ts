import { useQueries, useQuery } from '@tanstack/react-query'
import { type Column, columnsQuery } from '../../api/resources'
import type { CellContext } from '../editing/cell-type'
import { formatCell } from '../../formats/cell'
import { listItems } from '../../formats/value'
import { labelColumn, labelQuery, type LabelSource } from './label-queries'

/** How long the columns of a table are taken for those that label its rows. */
export const STALE_MS = 60_000
/** References of a list that a text names. */
const MAX_NAMED = 50

type LabelContext = Pick<CellContext, 'docId' | 'asOf'>

/** Returns the table of a type such as `Ref:People`. */
export const tableOf = (type: string): string => type.slice(type.indexOf(':') + 1)

/**
 * The label source of a reference column; undefined while it loads, or if the table has no suitable column. Without a column,
 * nothing is read.
 */
export function useLabelSource(
  column: Column | undefined,
  context: LabelContext,
): LabelSource | undefined {
  const { docId, asOf } = context
  const tableId = tableOf(column?.fields.type ?? '')
  const enabled = column !== undefined
  const { data } = useQuery({ ...columnsQuery(docId, tableId, asOf), staleTime: STALE_MS, enabled })
  return column && labelSourceOf(column, data, context)
}

/** The label source of a reference column whose table has these columns. */
export function labelSourceOf(
  { fields: { type, visibleCol } }: Column,
  columns: readonly Column[] | undefined,
  { docId, asOf }: LabelContext,
): LabelSource | undefined {
  const label = columns && labelColumn(columns, visibleCol)
  return label && { docId, tableId: tableOf(type), column: label, asOf }
}

/** The labels of rows, in order. Row ids are used until labels are loaded, and for empty labels. */
export function useLabels(source: LabelSource | undefined, ids: readonly number[]): string[] {
  const found = useQueries({ queries: ids.map((id) => labelQuery(source, id)) })
  return ids.map((id, index) => labelOf(id, found[index]?.data, source))
}

/** Returns the label of a row as it was read; its id if it was not, or has none. */
export const labelOf = (
  id: number,
  read: { readonly value: unknown } | null | undefined,
  source: LabelSource | undefined,
): string => (read && source ? rowLabel(id, read.value, source) : `#${id}`)

/** Returns the label of a row, or its id if the label is empty. */
export function rowLabel(id: number, value: unknown, { column }: LabelSource): string {
  return formatCell(value, column) || `#${id}`
}

/** Returns the text of a cell; references are shown by the labels of their rows. Empty without a column. */
export function useCellText(
  value: unknown,
  column: Column | undefined,
  context: LabelContext,
): string {
  const ids = column && referredIds(value, column)
  const source = useLabelSource(ids && column, context)
  const labels = useLabels(source, ids?.slice(0, MAX_NAMED) ?? [])
  if (!column) return ''
  if (!ids) return formatCell(value, column)
  return labels.join(', ') + (ids.length > labels.length ? ', …' : '')
}

/** Returns the ids of the rows that a cell refers to; undefined for other cells. */
export function referredIds(value: unknown, { fields: { type } }: Column): number[] | undefined {
  const isList = type.startsWith('RefList:')
  if (!isList && !type.startsWith('Ref:')) return undefined
  const ids = isList ? listItems(value) : [value]
  const isId = (id: unknown): id is number => typeof id === 'number' && id > 0
  return ids?.every(isId) ? [...ids] : undefined
}
