import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { Chip } from '../view/chip'
import { useGridViewContext } from '../view/view-context'
import { refersToRows } from './conditions'
import { describeCondition } from './condition-text'
import { describeItem, describeItems } from './filter-text'
import { isCondition, readTree, replaceItem, toFilter, type ConditionItem } from './filter-tree'
import { useReferenceLabels } from './value-labels'

interface FilterChipsProps {
  readonly columns: readonly Column[]
  readonly context: CellContext
  readonly onOpen: () => void
}

/** The parts of the filter in words: one chip for each that must hold. */
export function FilterChips({ columns, context, onOpen }: FilterChipsProps): ReactNode {
  const { view, setView } = useGridViewContext()
  const tree = readTree(view.filter, columns)
  const { join, items } = tree
  if (join === 'or')
    return (
      <Chip
        text={describeItems(items, join, columns)}
        onOpen={onOpen}
        onRemove={() => setView({ ...view, filter: {} })}
      />
    )
  // Items are read again with each change, and have other ids then.
  return items.map((item, index) => {
    const remove = () => {
      const left = { join, items: replaceItem(items, item.id, undefined) }
      setView({ ...view, filter: toFilter(left, columns) })
    }
    const column = isCondition(item) ? columns.find(({ id }) => id === item.colId) : undefined
    if (column && isCondition(item) && refersToRows(column))
      return (
        <ReferenceChip
          key={index}
          item={item}
          column={column}
          context={context}
          onOpen={onOpen}
          onRemove={remove}
        />
      )
    return <Chip key={index} text={describeItem(item, columns)} onOpen={onOpen} onRemove={remove} />
  })
}

function ReferenceChip(props: {
  readonly item: ConditionItem
  readonly column: Column
  readonly context: CellContext
  readonly onOpen: () => void
  readonly onRemove: () => void
}): ReactNode {
  const { item, column, context, ...chip } = props
  const labelOf = useReferenceLabels(item.values, column, context)
  return <Chip {...chip} text={describeCondition(item, column, labelOf)} />
}
