import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { Button } from '../../components/button'
import { Chip } from './chip'
import { columnOf, goneKeys, withoutKey, withSort } from './grid-view'
import { useGridViewContext } from './view-context'

interface GridBarProps {
  readonly columns: readonly Column[]
  /** Chips of the filter. */
  readonly filters: ReactNode
  /** The field that searches in the table. */
  readonly search: ReactNode
  /** Buttons for rows and columns, on narrow screens in one line that scrolls. */
  readonly children: ReactNode
}

/** Browsers do not scroll to a button that is cut off at the edge. */
const showWhole = (button: Element) =>
  button.scrollIntoView({ block: 'nearest', inline: 'nearest' })

/** The toolbar of the grid: buttons, and chips for the active filters and sort keys. */
export function GridBar({ columns, filters, search, children }: GridBarProps): ReactNode {
  const { view, setView } = useGridViewContext()
  const byId = new Map(columns.map((column) => [column.id, column]))
  const gone = goneKeys(view, columns)
  const isGone = (colId: string) => gone.some((key) => !key.isGroup && key.colId === colId)
  const sorted = view.sort.filter(({ colId }) => !isGone(colId))
  const nameOf = (colId: string) => byId.get(columnOf({ colId }))?.fields.label || colId
  const isPlain = Object.keys(view.filter).length === 0 && view.sort.length === 0
  return (
    <div className="grid-bar">
      <div className="grid-tools" onFocus={({ target }) => showWhole(target)}>
        {children}
      </div>
      {search}
      <ul className="chips" aria-label="Filters and sorting">
        {filters}
        {gone.map((key) => (
          <Chip
            key={`gone ${key.isGroup} ${key.colId}`}
            text={`${key.isGroup ? 'Group' : 'Sort'} by “${columnOf(key)}”: no such column`}
            onRemove={() => setView(withoutKey(view, key))}
          />
        ))}
        {sorted.map(({ colId, isDescending }) => (
          <Chip
            key={`sort ${colId}`}
            text={`${nameOf(colId)} ${isDescending ? '↓' : '↑'}`}
            onRemove={() => setView(withSort(view, colId, 'none', true))}
          />
        ))}
      </ul>
      {!isPlain && (
        <Button
          kind="quiet"
          onClick={({ currentTarget }) => {
            // This button disappears.
            currentTarget.parentElement?.querySelector('button')?.focus()
            setView({ ...view, sort: [], filter: {} })
          }}
        >
          Clear all
        </Button>
      )}
    </div>
  )
}
