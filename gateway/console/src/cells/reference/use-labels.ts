import { useQueries, useQuery } from '@tanstack/react-query'
import { columnsQuery, type Column } from '../../api/resources'
import type { CellContext } from '../base/cell-type'
import { labelColumn, labelQuery, type LabelSource } from './label-queries'
import { formatCell } from '../../formats/cell'

const FRESH_MS = 60_000

/** The table that a type such as `Ref:People` names. */
export const tableOf = (type: string): string => type.slice(type.indexOf(':') + 1)

/** What the references of a column show; undefined while that is not known, or where the table has nothing to show. */
export function useLabelSource(column: Column, { docId }: CellContext): LabelSource | undefined {
  const tableId = tableOf(column.fields.type)
  const { data } = useQuery({ ...columnsQuery(docId, tableId), staleTime: FRESH_MS })
  const label = data && labelColumn(data, column.fields.visibleCol)
  return label && { docId, tableId, column: label }
}

/** The labels of rows, in their order; their numbers until they are known, and where they have none. */
export function useLabels(source: LabelSource | undefined, ids: readonly number[]): string[] {
  const found = useQueries({ queries: ids.map((id) => labelQuery(source, id)) })
  return ids.map((id, index) => {
    const { data } = found[index] ?? {}
    return (data && source && rowLabel(id, data.value, source)) ?? `#${id}`
  })
}

/** What people read of a row: its label, or its number where that is empty. */
export function rowLabel(id: number, value: unknown, { column }: LabelSource): string {
  return formatCell(value, column) || `#${id}`
}
