import { useCallback, useRef, useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { Button } from '../../components/button'
import { Popover } from '../../components/overlays/popover'
import { columnName } from '../../formats/column'
import { directionsOf } from '../filter/conditions'
import type { GroupedRows } from '../groups/grouped-rows'
import { columnOf, MAX_GROUPS, type SortKey } from '../view/grid-view'
import { useGridViewContext } from '../view/view-context'

interface GroupButtonProps {
  readonly columns: readonly Column[]
  /** Undefined for rows without groups. */
  readonly grouped: GroupedRows | undefined
}

/** The button with the form of the columns by which rows are grouped. */
export function GroupButton({ columns, grouped }: GroupButtonProps): ReactNode {
  const { view } = useGridViewContext()
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  const ids = new Set(columns.map(({ id }) => id))
  // A column that was deleted is in the form, from which it can be removed, and groups nothing.
  const count = view.groups?.filter((key) => ids.has(columnOf(key))).length ?? 0
  if (columns.length === 0) return null
  return (
    <Popover
      label="Group"
      button={count > 0 ? `Group (${count})` : 'Group'}
      isOpen={isOpen}
      onOpen={() => setOpen(true)}
      onClose={close}
    >
      <GroupForm columns={columns} grouped={grouped} onClose={close} />
    </Popover>
  )
}

function GroupForm(props: GroupButtonProps & { readonly onClose: () => void }): ReactNode {
  const { columns, grouped, onClose } = props
  const { view, setView } = useGridViewContext()
  const { groups = [] } = view
  const adding = useRef<HTMLButtonElement>(null)
  const change = (next: readonly SortKey[]) =>
    setView({ ...view, groups: next.length > 0 ? next : undefined })
  const used = groups.map(columnOf)
  const free = columns.filter(({ id }) => !used.includes(id))
  const [next] = free
  return (
    <div className="filter-form">
      {groups.length === 0 && <p className="note">Rows are not grouped.</p>}
      <ul className="filter-items">
        {groups.map((key, place) => (
          <li key={place} className="filter-item">
            <span className="filter-joint">{place === 0 ? 'By' : 'then by'}</span>
            <GroupItem
              value={key}
              offered={columns.filter(({ id }) => id === columnOf(key) || !used.includes(id))}
              place={place}
              onChange={(changed) =>
                change(groups.map((other, at) => (at === place ? changed : other)))
              }
              onRemove={() => {
                change(groups.filter((_, at) => at !== place))
                // The button that was pressed is gone.
                adding.current?.focus()
              }}
            />
          </li>
        ))}
      </ul>
      <div className="filter-actions">
        <Button
          ref={adding}
          aria-disabled={groups.length >= MAX_GROUPS || !next}
          title={groups.length >= MAX_GROUPS ? `At most ${MAX_GROUPS} columns` : undefined}
          onClick={() => {
            if (next && groups.length < MAX_GROUPS)
              change([...groups, { colId: next.id, isDescending: false }])
          }}
        >
          Add column
        </Button>
        {grouped && (
          <>
            <Button onClick={() => grouped.setAll(true)}>Collapse all</Button>
            <Button onClick={() => grouped.setAll(false)}>Expand all</Button>
          </>
        )}
        <Button kind="quiet" className="filter-done" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}

interface GroupItemProps {
  readonly value: SortKey
  /** The columns that can be chosen. */
  readonly offered: readonly Column[]
  readonly place: number
  readonly onChange: (value: SortKey) => void
  readonly onRemove: () => void
}

function GroupItem({ value, offered, place, onChange, onRemove }: GroupItemProps): ReactNode {
  const id = columnOf(value)
  const column = offered.find((one) => one.id === id)
  const [upwards, downwards] = directionsOf(column)
  const name = column ? columnName(column) : id
  return (
    <div className="group-fields">
      <select
        aria-label={`Column ${place + 1} to group by`}
        value={id}
        onChange={({ target }) => onChange({ ...value, colId: target.value })}
      >
        {!column && <option value={id}>{id}</option>}
        {offered.map((one) => (
          <option key={one.id} value={one.id}>
            {columnName(one)}
          </option>
        ))}
      </select>
      <select
        aria-label={`Order of the groups by ${name}`}
        value={value.isDescending ? 'down' : 'up'}
        onChange={({ target }) => onChange({ ...value, isDescending: target.value === 'down' })}
      >
        <option value="up">{upwards}</option>
        <option value="down">{downwards}</option>
      </select>
      <Button
        kind="quiet"
        className="icon"
        aria-label={`Do not group by ${name}`}
        onClick={onRemove}
      >
        ×
      </Button>
    </div>
  )
}
