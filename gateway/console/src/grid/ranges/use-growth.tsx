import { useCallback, useState, type ReactNode } from 'react'
import type { CellContext } from '../../cells/editing/cell-type'
import type { RowChange } from '../../writes/table/cells-api'
import type { TableWrites } from '../../writes/table/table-writes'
import { GrowthDialog, type Growth } from './growth-dialog'
import type { RangeParts } from './range-handlers'

const NOT_SAVED =
  'Nothing was pasted: some of these cells have values that are not saved yet. Wait until they are, or decide about them first.'

interface GrowthParts extends Pick<RangeParts, 'report'> {
  readonly writes: TableWrites
}

/** Returns what asks whether a paste may add rows and columns, and the question while it is open. */
export function useGrowth(
  { docId, tableId }: CellContext,
  { writes, report }: GrowthParts,
): Pick<RangeParts, 'askToGrow'> & { readonly dialog: ReactNode } {
  const [growing, setGrowing] = useState<Growth>()
  const askToGrow = useCallback(
    (growth: Growth) => {
      const isSaved = ({ id, fields }: RowChange) =>
        Object.keys(fields).every((colId) => writes.stateOf(id, colId) === undefined)
      // The paste is one change at once, and cannot wait for what these cells become.
      if (growth.changes.every(isSaved)) setGrowing(growth)
      else report(NOT_SAVED)
    },
    [writes, report],
  )
  const close = useCallback(() => setGrowing(undefined), [])
  const dialog = growing && (
    <GrowthDialog docId={docId} tableId={tableId} growth={growing} onClose={close} />
  )
  return { askToGrow, dialog }
}
