import type { Column } from '../../api/resources'
import type { Filter } from '../view/grid-view'
import { describeCondition } from './condition-text'
import { isCondition, isGroup, readTree, type Item, type Join } from './filter-tree'

/** Describes a filter of the API in words; empty for none. */
export function describeFilter(filter: Filter, columns: readonly Column[]): string {
  const { join, items } = readTree(filter, columns)
  return describeItems(items, join, columns)
}

/** Describes parts of a filter in words. */
export const describeItems = (
  items: readonly Item[],
  join: Join,
  columns: readonly Column[],
): string => items.map((item) => describeItem(item, columns)).join(` ${join} `)

/** Describes a part of a filter in words. */
export function describeItem(item: Item, columns: readonly Column[]): string {
  if (isGroup(item)) return `(${describeItems(item.items, item.join, columns)})`
  if (isCondition(item)) {
    const column = columns.find(({ id }) => id === item.colId)
    return column ? describeCondition(item, column) : item.colId
  }
  const [[key, wanted] = ['', undefined], ...others] = Object.entries(item.raw)
  const name = columns.find(({ id }) => id === key)?.fields.label || key
  return others.length === 0 ? `${name} ${JSON.stringify(wanted)}` : JSON.stringify(item.raw)
}
