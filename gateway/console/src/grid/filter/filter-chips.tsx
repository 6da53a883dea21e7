import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { Chip } from '../view/chip'
import { useGridViewContext } from '../view/view-context'
import { describeItem, describeItems } from './filter-text'
import { conditionsIn, readTree, replaceItem, toFilter } from './filter-tree'
import { useValueLabels } from './value-labels'

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
  const shown = conditionsIn(items).flatMap(({ colId, values }) => {
    const column = columns.find(({ id }) => id === colId)
    return column ? [{ column, values }] : []
  })
  const words = { columns, labelOf: useValueLabels(shown, context) }
  if (join === 'or')
    return (
      <Chip
        text={describeItems(items, join, words)}
        onOpen={onOpen}
        onRemove={() => setView({ ...view, filter: {} })}
      />
    )
  const seen: string[] = []
  return items.map((item) => {
    // Items are read again with each change, and have other ids then.
    const condition = JSON.stringify(toFilter({ join, items: [item] }, columns))
    const same = seen.filter((other) => other === condition).length
    seen.push(condition)
    const remove = () => {
      const left = { join, items: replaceItem(items, item.id, undefined) }
      setView({ ...view, filter: toFilter(left, columns) })
    }
    return (
      <Chip
        key={`${condition} ${same}`}
        text={describeItem(item, words)}
        onOpen={onOpen}
        onRemove={remove}
      />
    )
  })
}
