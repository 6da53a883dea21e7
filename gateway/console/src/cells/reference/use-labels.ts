import { useQueries, useQuery } from '@tanstack/react-query'
import { type Column, columnsQuery } from '../../api/resources'
import type { CellContext } from '../editing/cell-type'
import { formatCell } from '../../formats/cell'
import { labelColumn, labelQuery, type LabelSource } from './label-queries'

const STALE_MS = 60_000

/** Returns the table of a type such as `Ref:People`. */
export const tableOf = (type: string): string => type.slice(type.indexOf(':') + 1)

/** The label source of a reference column; undefined while it loads, or if the table has no suitable column. */
export function useLabelSource(column: Column, context: CellContext): LabelSource | undefined {
  const { docId, asOf } = context
  const tableId = tableOf(column.fields.type)
  const { data } = useQuery({ ...columnsQuery(docId, tableId, asOf), staleTime: STALE_MS })
  const label = data && labelColumn(data, column.fields.visibleCol)
  return label && { docId, tableId, column: label, asOf }
}

/** The labels of rows, in order. Row ids are used until labels are loaded, and for empty labels. */
export function useLabels(source: LabelSource | undefined, ids: readonly number[]): string[] {
  const found = useQueries({ queries: ids.map((id) => labelQuery(source, id)) })
  return ids.map((id, index) => {
    const { data } = found[index] ?? {}
    return (data && source && rowLabel(id, data.value, source)) ?? `#${id}`
  })
}

/** Returns the label of a row, or its id if the label is empty. */
export function rowLabel(id: number, value: unknown, { column }: LabelSource): string {
  return formatCell(value, column) || `#${id}`
}
