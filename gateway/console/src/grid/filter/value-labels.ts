import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { useLabels, useLabelSource } from '../../cells/reference/use-labels'
import { isBlank, valueLabel } from './condition-text'

/** Returns the texts of references, by the labels of their rows. */
export function useReferenceLabels(
  values: readonly unknown[],
  column: Column,
  context: CellContext,
): (value: unknown) => string {
  const ids = values.filter((value) => typeof value === 'number' && value > 0) as number[]
  const source = useLabelSource(column, context)
  const labels = useLabels(source, ids)
  const byId = new Map(ids.map((id, index) => [id as unknown, labels[index]]))
  return (value) =>
    isBlank(value, column)
      ? valueLabel(value, column)
      : (byId.get(value) ?? valueLabel(value, column))
}
