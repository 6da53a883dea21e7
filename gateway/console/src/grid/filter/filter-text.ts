import type { Column } from '../../api/resources'
import type { Filter } from '../view/grid-view'
import { describeCondition, valueLabel } from './condition-text'
import { isCondition, isGroup, readTree, type Item, type Join } from './filter-tree'

/** What a filter is described with. */
interface Words {
  readonly columns: readonly Column[]
  /** Returns the text of a value of a column; references have their row ids without it. */
  readonly labelOf?: (value: unknown, column: Column) => string
}

/** Describes a filter of the API in words; empty for none. */
export function describeFilter(filter: Filter, columns: readonly Column[]): string {
  const { join, items } = readTree(filter, columns)
  return describeItems(items, join, { columns })
}

/** Describes parts of a filter in words. */
export const describeItems = (items: readonly Item[], join: Join, words: Words): string =>
  items.map((item) => describeItem(item, words)).join(` ${join} `)

/** Describes a part of a filter in words. */
export function describeItem(item: Item, words: Words): string {
  const { columns, labelOf = valueLabel } = words
  if (isGroup(item)) return `(${describeItems(item.items, item.join, words)})`
  if (isCondition(item)) {
    const column = columns.find(({ id }) => id === item.colId)
    return column ? describeCondition(item, column, (value) => labelOf(value, column)) : item.colId
  }
  const [[key, wanted] = ['', undefined], ...others] = Object.entries(item.raw)
  const name = columns.find(({ id }) => id === key)?.fields.label || key
  return others.length === 0 ? `${name} ${JSON.stringify(wanted)}` : JSON.stringify(item.raw)
}
