import type { Change, RowOperation } from '@sheaf/client'
import type { labelKey } from '../api/resources'

type LabelKey = ReturnType<typeof labelKey>

/** Returns a function that tells for the key of a query whether it is of a label, at the present, that a change has made another. */
export function changedLabels({
  operations,
  truncated,
}: Change): (key: readonly unknown[]) => boolean {
  const changes = operations.filter((one): one is RowOperation => 'rowIds' in one)
  const rows = changes.map((change) => ({ change, ids: new Set(change.rowIds) }))
  return (key) => {
    if (key[2] !== 'label') return false
    const [, , , tableId, columnId, rowId, { asOf }] = key as LabelKey
    return (
      asOf === undefined &&
      rows.some(
        ({ change, ids }) =>
          change.tableId === tableId &&
          // The list of rows and cells may be incomplete.
          (truncated === true || (ids.has(rowId) && mayHaveChanged(change, columnId))),
      )
    )
  }
}

const mayHaveChanged = ({ action, columns }: RowOperation, columnId: string | undefined): boolean =>
  action !== 'updateRows' || (columnId !== undefined && Object.hasOwn(columns, columnId))
