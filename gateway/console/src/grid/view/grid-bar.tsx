import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { Button } from '../../components/button'
import { describeFilter } from './conditions'
import { withFilter, withSort } from './grid-view'
import { useGridViewContext } from './view-context'

interface GridBarProps {
  readonly columns: readonly Column[]
  readonly onFilter: (column: Column) => void
  /** Buttons for rows and columns. */
  readonly children: ReactNode
}

/** The toolbar of the grid: buttons, and chips for the active filters and sort keys. */
export function GridBar({ columns, onFilter, children }: GridBarProps): ReactNode {
  const { view, setView } = useGridViewContext()
  const byId = new Map(columns.map((column) => [column.id, column]))
  const nameOf = (colId: string) => byId.get(colId)?.fields.label || colId
  const filters = Object.entries(view.filter)
  const isPlain = filters.length === 0 && view.sort.length === 0
  return (
    <div className="grid-bar">
      {children}
      <ul className="chips" aria-label="Filters and sorting">
        {filters.map(([colId, filter]) => {
          const column = byId.get(colId)
          const text = `${nameOf(colId)} ${column ? describeFilter(filter, column) : JSON.stringify(filter)}`
          return (
            <Chip
              key={`filter ${colId}`}
              text={text}
              onOpen={column && (() => onFilter(column))}
              onRemove={() => setView(withFilter(view, colId, undefined))}
            />
          )
        })}
        {view.sort.map(({ colId, isDescending }) => (
          <Chip
            key={`sort ${colId}`}
            text={`${nameOf(colId)} ${isDescending ? '↓' : '↑'}`}
            onRemove={() => setView(withSort(view, colId, 'none', true))}
          />
        ))}
      </ul>
      {!isPlain && (
        <Button kind="quiet" onClick={() => setView({ sort: [], filter: {} })}>
          Clear all
        </Button>
      )}
    </div>
  )
}

interface ChipProps {
  readonly text: string
  readonly onOpen?: () => void
  readonly onRemove: () => void
}

function Chip({ text, onOpen, onRemove }: ChipProps): ReactNode {
  return (
    <li className="chip">
      {onOpen ? (
        <button type="button" title={text} onClick={onOpen}>
          {text}
        </button>
      ) : (
        <span title={text}>{text}</span>
      )}
      <button type="button" aria-label={`Remove ${text}`} onClick={onRemove}>
        ✕
      </button>
    </li>
  )
}
