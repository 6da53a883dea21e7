import { useQueries } from '@tanstack/react-query'
import { columnsQuery, type Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { labelQuery, type LabelSource } from '../../cells/reference/label-queries'
import { labelSourceOf, rowLabel, STALE_MS, tableOf } from '../../cells/reference/use-labels'
import { refersToRows } from './conditions'
import { valueLabel } from './condition-text'

/** Values of a column that are shown in words. */
export interface ShownValues {
  readonly column: Column
  readonly values: readonly unknown[]
}

/** Returns the texts of values; those of references are the labels of their rows, once these are loaded. */
export function useValueLabels(
  shown: readonly ShownValues[],
  context: CellContext,
): (value: unknown, column: Column) => string {
  const sourceOf = useLabelSources(
    shown.map(({ column }) => column),
    context,
  )
  const wanted = new Map<string, { readonly source: LabelSource; readonly id: number }>()
  for (const { column, values } of shown) {
    const source = sourceOf(column)
    for (const id of values)
      if (source && typeof id === 'number' && id > 0) wanted.set(keyOf(id, source), { source, id })
  }
  const found = useQueries({
    queries: [...wanted.values()].map(({ source, id }) => labelQuery(source, id)),
  })
  const texts = new Map(
    [...wanted].flatMap(([key, { source, id }], index): [string, string][] => {
      const { data } = found[index] ?? {}
      return data ? [[key, rowLabel(id, data.value, source)]] : []
    }),
  )
  return (value, column) => {
    const source = sourceOf(column)
    return (source && texts.get(keyOf(value, source))) ?? valueLabel(value, column)
  }
}

const keyOf = (value: unknown, { tableId, column }: LabelSource): string =>
  JSON.stringify([tableId, column.id, value])

/** Returns the label source of each of the columns that refer to rows, once the columns of its table are loaded. */
export function useLabelSources(
  columns: readonly Column[],
  context: CellContext,
): (column: Column) => LabelSource | undefined {
  const { docId, asOf } = context
  const references = columns.filter(refersToRows)
  const tableIds = [...new Set(references.map(({ fields }) => tableOf(fields.type)))]
  const tables = useQueries({
    queries: tableIds.map((id) => ({ ...columnsQuery(docId, id, asOf), staleTime: STALE_MS })),
  })
  const sources = new Map(
    references.map((column) => {
      const { data } = tables[tableIds.indexOf(tableOf(column.fields.type))] ?? {}
      return [column.id, labelSourceOf(column, data, context)]
    }),
  )
  return ({ id }) => sources.get(id)
}
