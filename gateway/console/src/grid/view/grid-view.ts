/** One key that rows are sorted by. */
export interface SortKey {
  readonly colId: string
  readonly isDescending: boolean
}

/** What rows are asked for, column by column, as the API takes it. */
export type Filter = Readonly<Record<string, unknown>>

/** Which rows a grid shows, in which order. */
export interface GridView {
  readonly sort: readonly SortKey[]
  readonly filter: Filter
}

/** The view that stands in the query of an address; what cannot be understood is left out. */
export function readView(query: URLSearchParams): GridView {
  const keys = (query.get('sort') ?? '').split(',').filter((key) => key !== '' && key !== '-')
  const sort = keys.map((key) => ({
    colId: key.startsWith('-') ? key.slice(1) : key,
    isDescending: key.startsWith('-'),
  }))
  return { sort, filter: parseFilter(query.get('filter')) }
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

/** How the API is asked for a view, and how an address tells it: texts that are empty for what is not asked. */
export function viewTexts({ sort, filter }: GridView): { sort: string; filter: string } {
  return {
    sort: sort.map(({ colId, isDescending }) => (isDescending ? '-' : '') + colId).join(','),
    filter: Object.keys(filter).length === 0 ? '' : JSON.stringify(filter),
  }
}

/** The query of an address with this view in it; what else it tells stays. */
export function writeView(query: URLSearchParams, view: GridView): URLSearchParams {
  const next = new URLSearchParams(query)
  for (const [name, text] of Object.entries(viewTexts(view))) {
    if (text === '') next.delete(name)
    else next.set(name, text)
  }
  return next
}

/** Which way a column is sorted, and at which place of several. */
export function sortOf(
  { sort }: GridView,
  colId: string,
): { readonly isDescending: boolean; readonly place: number } | undefined {
  const place = sort.findIndex((key) => key.colId === colId)
  const key = sort[place]
  return key && { isDescending: key.isDescending, place }
}

/** Sorts by a column, or not by it any more; beside the others where these are to stay. */
export function withSort(
  view: GridView,
  colId: string,
  way: 'up' | 'down' | 'none',
  keepsOthers = false,
): GridView {
  const key = { colId, isDescending: way === 'down' }
  if (!keepsOthers) return { ...view, sort: way === 'none' ? [] : [key] }
  const isThere = view.sort.some((other) => other.colId === colId)
  const others = (other: SortKey) => other.colId !== colId
  if (way === 'none') return { ...view, sort: view.sort.filter(others) }
  const sort = isThere
    ? view.sort.map((other) => (others(other) ? other : key))
    : [...view.sort, key]
  return { ...view, sort }
}

/** What a click on the head of a column does: up, then down, then not any more. */
export function withNextSort(view: GridView, colId: string, keepsOthers: boolean): GridView {
  const current = sortOf(view, colId)
  const way = current === undefined ? 'up' : current.isDescending ? 'none' : 'down'
  return withSort(view, colId, way, keepsOthers)
}

/** Filters by a column; undefined for not any more. */
export function withFilter(view: GridView, colId: string, wanted: unknown): GridView {
  const others = Object.entries(view.filter).filter(([other]) => other !== colId)
  const filter = Object.fromEntries(wanted === undefined ? others : [...others, [colId, wanted]])
  return { ...view, filter }
}
