import { useEffect, useRef, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { Button } from '../../components/button'
import { columnName } from '../../formats/column'
import type { Filter } from '../view/grid-view'
import { conditionKinds, conditionLabel, withKind, type ConditionKind } from './conditions'
import { ConditionValues } from './condition-values'
import {
  isCondition,
  isGroup,
  newCondition,
  type ConditionItem,
  type GroupItem,
  type Item,
  type Join,
  type RawItem,
} from './filter-tree'

/** What all parts of the form share. */
export interface FilterForm {
  readonly columns: readonly Column[]
  readonly context: CellContext
  /** The id of the condition that gets the focus when it appears. */
  readonly focusedId: number | undefined
  /** Replaces an item, or removes it. */
  readonly change: (id: number, next: Item | undefined) => void
  /** Returns the filter of the rows whose values a condition offers. */
  readonly restOf: (id: number) => Filter
}

interface ItemsProps {
  readonly form: FilterForm
  readonly items: readonly Item[]
  readonly join: Join
  readonly onJoin: (join: Join) => void
}

/** Conditions below each other, with the word that joins them. */
export function FilterItems({ form, items, join, onJoin }: ItemsProps): ReactNode {
  return (
    <ul className="filter-items">
      {items.map((item, index) => (
        <li key={item.id} className="filter-item">
          <Joint index={index} join={join} onJoin={onJoin} />
          <FilterItem form={form} item={item} />
        </li>
      ))}
    </ul>
  )
}

/** The first two conditions decide how all of them are joined. */
function Joint(props: {
  readonly index: number
  readonly join: Join
  readonly onJoin: (join: Join) => void
}): ReactNode {
  const { index, join, onJoin } = props
  if (index === 0) return <span className="filter-joint">Where</span>
  if (index > 1) return <span className="filter-joint">{join}</span>
  return (
    <select
      className="filter-joint"
      aria-label="Conditions are joined by"
      value={join}
      onChange={({ target }) => onJoin(target.value as Join)}
    >
      <option value="and">and</option>
      <option value="or">or</option>
    </select>
  )
}

function FilterItem({ form, item }: { readonly form: FilterForm; readonly item: Item }): ReactNode {
  if (isGroup(item)) return <Group form={form} group={item} />
  return isCondition(item) ? (
    <ConditionRow form={form} item={item} />
  ) : (
    <RawRow form={form} item={item} />
  )
}

function Group({
  form,
  group,
}: {
  readonly form: FilterForm
  readonly group: GroupItem
}): ReactNode {
  const { columns, change } = form
  return (
    <div className="filter-group" role="group" aria-label="Group of conditions">
      <FilterItems
        form={form}
        items={group.items}
        join={group.join}
        onJoin={(join) => change(group.id, { ...group, join })}
      />
      <div className="filter-actions">
        <Button
          kind="quiet"
          onClick={() => {
            const added = newCondition(columns[0])
            if (added) change(group.id, { ...group, items: [...group.items, added] })
          }}
        >
          Add to group
        </Button>
        <RemoveButton label="Remove group" onClick={() => change(group.id, undefined)} />
      </div>
    </div>
  )
}

function ConditionRow(props: {
  readonly form: FilterForm
  readonly item: ConditionItem
}): ReactNode {
  const { form, item } = props
  const { columns, context, focusedId, change, restOf } = form
  const row = useRef<HTMLDivElement>(null)
  const isFocused = focusedId === item.id
  useEffect(() => {
    if (!isFocused) return
    row.current?.scrollIntoView({ block: 'nearest' })
    const value = row.current?.querySelector('input')
    const first = value ?? row.current?.querySelector('select')
    first?.focus()
  }, [isFocused])
  const column = columns.find(({ id }) => id === item.colId)
  if (!column) return null
  const choose = (colId: string) => {
    const next = newCondition(columns.find(({ id }) => id === colId))
    if (next) change(item.id, { ...next, id: item.id })
  }
  return (
    <div
      className="filter-condition"
      role="group"
      aria-label={`Condition on ${columnName(column)}`}
      ref={row}
    >
      <select
        aria-label="Column"
        value={item.colId}
        onChange={({ target }) => choose(target.value)}
      >
        {columns.map((one) => (
          <option key={one.id} value={one.id}>
            {columnName(one)}
          </option>
        ))}
      </select>
      <select
        aria-label="Condition"
        value={item.kind}
        onChange={({ target }) =>
          change(item.id, { ...item, ...withKind(item, target.value as ConditionKind) })
        }
      >
        {conditionKinds(column).map((kind) => (
          <option key={kind} value={kind}>
            {conditionLabel(kind, column)}
          </option>
        ))}
      </select>
      <ConditionValues
        key={`${item.colId} ${item.kind}`}
        column={column}
        context={context}
        condition={item}
        rest={restOf(item.id)}
        onChange={(values) => change(item.id, { ...item, values })}
      />
      <RemoveButton label="Remove condition" onClick={() => change(item.id, undefined)} />
    </div>
  )
}

function RawRow({ form, item }: { readonly form: FilterForm; readonly item: RawItem }): ReactNode {
  return (
    <div className="filter-condition raw">
      <code>{JSON.stringify(item.raw)}</code>
      <RemoveButton label="Remove condition" onClick={() => form.change(item.id, undefined)} />
    </div>
  )
}

function RemoveButton(props: { readonly label: string; readonly onClick: () => void }): ReactNode {
  return (
    <Button kind="quiet" className="icon" aria-label={props.label} onClick={props.onClick}>
      ✕
    </Button>
  )
}
