import type { Column } from '../../api/resources'

/** A sort key. */
export interface SortKey {
  readonly colId: string
  readonly isDescending: boolean
}

/** Maximum number of columns by which rows are grouped. */
export const MAX_GROUPS = 3

/** A filter by column, in the notation of the API. */
export type Filter = Readonly<Record<string, unknown>>

/** Sort order, groups and filter of a grid. */
export interface GridView {
  readonly sort: readonly SortKey[]
  /** Columns by which rows are grouped, outermost first; none if absent. */
  readonly groups?: readonly SortKey[]
  readonly filter: Filter
}

/** Reads a view from a query string. Invalid parts are ignored. */
export function readView(query: URLSearchParams): GridView {
  const groups = readKeys(query.get('group')).slice(0, MAX_GROUPS)
  return {
    sort: readKeys(query.get('sort')),
    filter: parseFilter(query.get('filter')),
    ...(groups.length > 0 && { groups }),
  }
}

function readKeys(text: string | null): SortKey[] {
  const keys = (text ?? '').split(',').filter((key) => key !== '' && key !== '-')
  return keys.map((key) => ({
    colId: key.startsWith('-') ? key.slice(1) : key,
    isDescending: key.startsWith('-'),
  }))
}

const writeKeys = (keys: readonly SortKey[]): string =>
  keys.map(({ colId, isDescending }) => (isDescending ? '-' : '') + colId).join(',')

/** Returns the id of the column of a sort key, which can have flags. */
export const columnOf = ({ colId }: Pick<SortKey, 'colId'>): string => colId.replace(/:.*$/, '')

/** A key by which rows are sorted or grouped, of a column that the table no longer has. */
export interface GoneKey {
  readonly colId: string
  readonly isGroup: boolean
}

/** Keys by which rows are sorted and that are no columns. */
const OTHER_KEYS = ['id', 'manualSort']

/** Returns the keys of a view whose columns do not exist; the groups first. Sort keys can be refs of columns. */
export function goneKeys(
  { sort, groups = [] }: GridView,
  columns: readonly Pick<Column, 'id' | 'fields'>[],
): readonly GoneKey[] {
  const ids = columns.map(({ id }) => id)
  const refs = columns.map(({ fields }) => String(fields.colRef))
  const gone = (keys: readonly SortKey[], isGroup: boolean) => {
    const known = new Set(isGroup ? ids : [...ids, ...refs, ...OTHER_KEYS])
    return keys.flatMap((key) => (known.has(columnOf(key)) ? [] : [{ colId: key.colId, isGroup }]))
  }
  return [...gone(groups, true), ...gone(sort, false)]
}

/** Returns a view without a key. */
export function withoutKey(view: GridView, { colId, isGroup }: GoneKey): GridView {
  const others = (keys: readonly SortKey[]) => keys.filter((key) => key.colId !== colId)
  if (!isGroup) return { ...view, sort: others(view.sort) }
  const { groups = [], ...rest } = view
  const left = others(groups)
  return left.length > 0 ? { ...rest, groups: left } : rest
}

/** Returns a view without the keys whose columns do not exist, which sort and group nothing; the same view if there are none. */
export const withoutGoneKeys = (view: GridView, columns: readonly Column[]): GridView =>
  goneKeys(view, columns).reduce(withoutKey, view)

/** Returns the order of the rows of a view: that of its groups, and within them its own. */
export function rowOrder({ sort, groups = [] }: GridView): readonly SortKey[] {
  const grouped = new Set(groups.map(columnOf))
  return [...groups, ...sort.filter((key) => !grouped.has(columnOf(key)))]
}

function parseFilter(text: string | null): Filter {
  if (text === null) return {}
  try {
    const filter: unknown = JSON.parse(text)
    return typeof filter === 'object' && filter !== null && !Array.isArray(filter)
      ? (filter as Filter)
      : {}
  } catch {
    return {}
  }
}

/** Returns the query parameters of a view, for the API and for the URL of the page. Unused parameters are empty. */
export function viewParameters({ sort, groups = [], filter }: GridView): {
  readonly sort: string
  readonly group: string
  readonly filter: string
} {
  return {
    sort: writeKeys(sort),
    group: writeKeys(groups),
    filter: Object.keys(filter).length === 0 ? '' : JSON.stringify(filter),
  }
}

/** Writes a view to a query string. Other parameters are kept. */
export function writeView(query: URLSearchParams, view: GridView): URLSearchParams {
  const next = new URLSearchParams(query)
  for (const [name, text] of Object.entries(viewParameters(view))) {
    if (text === '') next.delete(name)
    else next.set(name, text)
  }
  return next
}

/** Returns the sort direction of a column and its position among the sort keys; undefined if it is not sorted. */
export function sortOf(
  { sort }: GridView,
  colId: string,
): { readonly isDescending: boolean; readonly position: number } | undefined {
  const position = sort.findIndex((key) => key.colId === colId)
  const key = sort[position]
  return key && { isDescending: key.isDescending, position }
}

/** Sorts by a column, or removes its sort key. `keepsOthers` keeps the other sort keys. */
export function withSort(
  view: GridView,
  colId: string,
  direction: 'ascending' | 'descending' | 'none',
  keepsOthers = false,
): GridView {
  const key = { colId, isDescending: direction === 'descending' }
  if (!keepsOthers) return { ...view, sort: direction === 'none' ? [] : [key] }
  const isSorted = view.sort.some((other) => other.colId === colId)
  const others = (other: SortKey) => other.colId !== colId
  if (direction === 'none') return { ...view, sort: view.sort.filter(others) }
  const sort = isSorted
    ? view.sort.map((other) => (others(other) ? other : key))
    : [...view.sort, key]
  return { ...view, sort }
}

/** Cycles the sort order of a column: ascending, descending, none. */
export function withNextSort(view: GridView, colId: string, keepsOthers: boolean): GridView {
  const current = sortOf(view, colId)
  const direction =
    current === undefined ? 'ascending' : current.isDescending ? 'none' : 'descending'
  return withSort(view, colId, direction, keepsOthers)
}

/** Returns the group key of a column; undefined if rows are not grouped by it. */
export const groupOf = ({ groups }: GridView, colId: string): SortKey | undefined =>
  groups?.find((key) => columnOf(key) === colId)

/** Groups rows by a column within the other groups, or no longer. */
export function withGroup(
  { groups = [], ...view }: GridView,
  colId: string,
  isGrouped: boolean,
): GridView {
  const others = groups.filter((key) => columnOf(key) !== colId)
  const next = isGrouped ? [...others, { colId, isDescending: false }] : others
  return next.length > 0 ? { ...view, groups: next } : view
}
