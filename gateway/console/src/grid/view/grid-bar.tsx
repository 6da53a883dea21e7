import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { Button } from '../../components/button'
import { Chip } from './chip'
import { withSort } from './grid-view'
import { useGridViewContext } from './view-context'

interface GridBarProps {
  readonly columns: readonly Column[]
  /** Chips of the filter. */
  readonly filters: ReactNode
  /** Buttons for rows and columns. */
  readonly children: ReactNode
}

/** The toolbar of the grid: buttons, and chips for the active filters and sort keys. */
export function GridBar({ columns, filters, children }: GridBarProps): ReactNode {
  const { view, setView } = useGridViewContext()
  const byId = new Map(columns.map((column) => [column.id, column]))
  const nameOf = (colId: string) => byId.get(colId)?.fields.label || colId
  const isPlain = Object.keys(view.filter).length === 0 && view.sort.length === 0
  return (
    <div className="grid-bar">
      {children}
      <ul className="chips" aria-label="Filters and sorting">
        {filters}
        {view.sort.map(({ colId, isDescending }) => (
          <Chip
            key={`sort ${colId}`}
            text={`${nameOf(colId)} ${isDescending ? '↓' : '↑'}`}
            onRemove={() => setView(withSort(view, colId, 'none', true))}
          />
        ))}
      </ul>
      {!isPlain && (
        <Button kind="quiet" onClick={() => setView({ ...view, sort: [], filter: {} })}>
          Clear all
        </Button>
      )}
    </div>
  )
}
