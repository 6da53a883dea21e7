import { useMemo, useSyncExternalStore, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { cellCount } from './cell-range'
import type { RangeSelection } from './range-selection'
import { describeSummary, summarize } from './range-summary'
import type { RangeRows } from './use-range-rows'

interface RangeFootProps {
  readonly selection: RangeSelection
  /** The rows of the selection, once they are read. */
  readonly read: RangeRows | undefined
  readonly columns: readonly Column[]
}

/** The number of selected cells, and the sum and average of their numbers. */
export function RangeFoot({ selection, read, columns }: RangeFootProps): ReactNode {
  const block = useSyncExternalStore(selection.watch, selection.read)
  const summary = useMemo(() => {
    if (!block) return undefined
    if (read?.block !== block) return { cells: cellCount(block) }
    return summarize(read.rows, columns.slice(block.firstColumn, block.lastColumn + 1))
  }, [block, read, columns])
  return (
    <span role="status" className="range-foot">
      {summary && describeSummary(summary)}
    </span>
  )
}
