import type { ReactNode } from 'react'
import type { Column } from '../api/resources'
import { Button } from '../components/button'
import { Empty } from '../components/states'
import { columnName } from '../formats/column'
import { makesLanes } from '../grid/views/board-settings'

/** Columns that are offered at most. */
const MAX_OFFERED = 12

interface NoLanesProps {
  readonly columns: readonly Column[]
  readonly canEdit: boolean
  readonly onSelect: (column: Column) => void
  readonly onAddColumn: () => void
}

/** Says what a board without lanes needs, and offers it to editors. */
export function NoLanes({ columns, canEdit, onSelect, onAddColumn }: NoLanesProps): ReactNode {
  const offered = columns.filter(makesLanes).slice(0, MAX_OFFERED)
  const title = 'This board has no lanes yet'
  if (!canEdit)
    return (
      <Empty title={title}>
        <p>Lanes appear here when an editor selects their column.</p>
      </Empty>
    )
  return (
    <Empty title={title}>
      <p>
        {offered.length > 0
          ? 'Select the column whose values are the lanes, or add one of the type Choice.'
          : 'A board needs a column whose values are its lanes. Add one of the type Choice, with the choices as lanes.'}
      </p>
      <div className="lane-offers">
        {offered.map((column) => (
          <Button key={column.id} onClick={() => onSelect(column)}>
            {columnName(column)}
          </Button>
        ))}
        <Button kind="primary" onClick={onAddColumn}>
          Add column
        </Button>
      </div>
    </Empty>
  )
}
