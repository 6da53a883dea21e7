import type { Column } from '../../api/resources'
import type { Filter } from '../view/grid-view'
import { fromOperators, toOperators } from './condition-filter'
import { conditionKinds, isComplete, type Condition, type ConditionKind } from './conditions'

/** Whether all of several conditions must hold, or one of them. */
export type Join = 'and' | 'or'

/** A condition in a filter. */
export interface ConditionItem extends Condition {
  readonly id: number
  readonly colId: string
}

/** A part of a filter that the form cannot express. It is kept as it is. */
export interface RawItem {
  readonly id: number
  readonly raw: Filter
}

/** Conditions that belong together. */
export interface GroupItem {
  readonly id: number
  readonly join: Join
  readonly items: readonly (ConditionItem | RawItem)[]
}

/** A part of a filter. Its id is its own as long as it is edited. */
export type Item = ConditionItem | RawItem | GroupItem

/** A filter as the form shows it: conditions, and groups of conditions. */
export interface FilterTree {
  readonly join: Join
  readonly items: readonly Item[]
}

let lastId = 0
/** Returns an id for an item. */
export const createId = (): number => ++lastId

/** Returns a condition on a column, whose values are not entered. */
export function newCondition(
  column: Column | undefined,
  kind: ConditionKind | undefined = column && conditionKinds(column)[0],
): ConditionItem | undefined {
  return column && kind && { id: createId(), colId: column.id, kind, values: [] }
}

/** Reads a filter of the API. Whatever the form cannot express becomes raw items, so nothing is lost. */
export function readTree(filter: Filter, columns: readonly Column[]): FilterTree {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const [[key, wanted] = ['', undefined], ...others] = Object.entries(filter)
  if (others.length > 0 || !isGroupKey(key) || !isFilters(wanted))
    return { join: 'and', items: conjunction(filter, byId) }
  const [first = {}, ...more] = wanted
  if (more.length === 0) return readTree(first, columns)
  if (key === 'and') return { join: 'and', items: conjunction(filter, byId) }
  return { join: 'or', items: wanted.map((one) => alternative(one, byId)) }
}

const isGroupKey = (key: string): key is Join => key === 'or' || key === 'and'

type ColumnsById = ReadonlyMap<string, Column>

/** The parts of a filter, all of which must hold. */
function conjunction(filter: Filter, byId: ColumnsById): Item[] {
  return Object.entries(filter).flatMap(([key, wanted]): Item[] => {
    if (isGroupKey(key) && isFilters(wanted) && (key === 'and' || wanted.length === 1))
      return wanted.flatMap((one) => conjunction(one, byId))
    if (key === 'or' && isFilters(wanted))
      return [{ id: createId(), join: 'or', items: wanted.map((one) => leaf(one, byId)) }]
    const column = byId.get(key)
    const conditions = column && fromOperators(wanted, column)
    if (!conditions) return [rawItem({ [key]: wanted })]
    return conditions.map((condition) => ({ ...condition, id: createId(), colId: key }))
  })
}

const rawItem = (raw: Filter): RawItem => ({ id: createId(), raw })

/** A filter without groups in it. */
function leaf(filter: Filter, byId: ColumnsById): ConditionItem | RawItem {
  const [only, ...others] = conjunction(filter, byId)
  return only && others.length === 0 && !isGroup(only) ? only : rawItem(filter)
}

/** One of several filters of which one must hold. */
function alternative(filter: Filter, byId: ColumnsById): Item {
  const items = conjunction(filter, byId)
  const [only, ...others] = items
  if (only && others.length === 0) return only
  const parts = items.flatMap((item) => (isGroup(item) ? [] : [item]))
  return parts.length === items.length && parts.length > 0
    ? { id: createId(), join: 'and', items: parts }
    : rawItem(filter)
}

/** Returns true for a group. */
export const isGroup = (item: Item): item is GroupItem => 'items' in item

/** Returns true for a condition. */
export const isCondition = (item: Item): item is ConditionItem => 'kind' in item

function isFilters(value: unknown): value is readonly Filter[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFilter)
}

const isFilter = (value: unknown): value is Filter =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0

/** Returns the filter of the API. Conditions without their values are left out. */
export function toFilter(tree: FilterTree, columns: readonly Column[]): Filter {
  const byId = new Map(columns.map((column) => [column.id, column]))
  return combine(tree.join, partsOf(tree.items, byId)) ?? {}
}

function partsOf(items: readonly Item[], byId: ColumnsById): Filter[] {
  return items.flatMap((item): Filter[] => {
    if (isGroup(item)) return toList(combine(item.join, partsOf(item.items, byId)))
    if (!isCondition(item)) return [item.raw]
    const column = byId.get(item.colId)
    return column && isComplete(item) ? [{ [item.colId]: toOperators(item, column) }] : []
  })
}

const toList = (filter: Filter | undefined): Filter[] => (filter ? [filter] : [])

/** A filter can name each column once, and have each kind of group once. */
function combine(join: Join, parts: readonly Filter[]): Filter | undefined {
  const [first, ...others] = parts
  if (!first || others.length === 0) return first
  if (join === 'or') return { or: parts }
  const keys = parts.flatMap((part) => Object.keys(part))
  if (new Set(keys).size < keys.length) return { and: parts }
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
}

/** Returns the conditions in a filter, those of groups included. */
export const conditionsIn = (items: readonly Item[]): ConditionItem[] =>
  items.flatMap((item) =>
    isGroup(item) ? conditionsIn(item.items) : isCondition(item) ? [item] : [],
  )

/** Returns the number of conditions in a filter. */
export const countConditions = ({ items }: Pick<FilterTree, 'items'>): number =>
  items.reduce((sum, item) => sum + (isGroup(item) ? countConditions(item) : 1), 0)

/** Returns the items with one replaced, or removed; groups that become empty are removed. */
export function replaceItem<Part extends Item>(
  items: readonly Part[],
  id: number,
  next: Part | undefined,
): readonly Part[] {
  return items.flatMap((item): Part[] => {
    if (item.id === id) return next ? [next] : []
    if (!isGroup(item)) return [item]
    const inner = replaceItem<Item>(item.items, id, next) as GroupItem['items']
    return inner.length === 0 && item.items.length > 0 ? [] : [{ ...item, items: inner }]
  })
}

/** Returns the filter without the conditions of a column. */
export function withoutColumn(filter: Filter, colId: string): Filter {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([key, wanted]): [string, unknown][] => {
      if (key === colId) return []
      if (!isGroupKey(key) || !isFilters(wanted)) return [[key, wanted]]
      const left = wanted
        .map((one) => withoutColumn(one, colId))
        .filter((one) => Object.keys(one).length > 0)
      return left.length === 0 ? [] : [[key, left]]
    }),
  )
}

/** Returns true if a filter has a condition of a column. */
export const namesColumn = (filter: Filter, colId: string): boolean =>
  JSON.stringify(withoutColumn(filter, colId)) !== JSON.stringify(filter)

/**
 * Returns what a row must meet besides one item, for the values to choose from: the other parts of a filter of which all must
 * hold. What else can hold in place of the item is no restriction.
 */
export function restOf(tree: FilterTree, id: number): FilterTree {
  if (tree.join === 'or') return { join: 'and', items: [] }
  const items = tree.items.flatMap((item): Item[] => {
    if (item.id === id) return []
    if (!isGroup(item) || !item.items.some((inner) => inner.id === id)) return [item]
    return item.join === 'or'
      ? []
      : [{ ...item, items: item.items.filter((inner) => inner.id !== id) }]
  })
  return { join: 'and', items }
}
