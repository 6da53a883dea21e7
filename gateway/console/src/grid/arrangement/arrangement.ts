import type { AggregateName } from '@sheaf/client'

/** A column as arranged. */
export interface ArrangedColumn {
  readonly id: string
  /** In pixels; absent for the width of its type. */
  readonly width?: number
  readonly hidden?: boolean
  /** What all of its cells come to, which is shown below them. */
  readonly summary?: AggregateName
}

const summaries: readonly string[] = [
  'filled',
  'empty',
  'unique',
  'sum',
  'average',
  'min',
  'max',
] satisfies AggregateName[]

/** Returns the summary with a name; undefined if there is none. */
export const readSummary = (name: unknown): AggregateName | undefined =>
  typeof name === 'string' && summaries.includes(name) ? (name as AggregateName) : undefined

/** Heights of rows, in lines of text: one, two and four. */
export const rowHeights = ['short', 'medium', 'tall'] as const

/** Height of all rows of a table. */
export type RowHeight = (typeof rowHeights)[number]

/** How the columns and rows of a table are shown. */
export interface Arrangement {
  /** All columns, in the order in which they are shown. At least one is not hidden. */
  readonly columns: readonly ArrangedColumn[]
  /** Number of shown columns, from the left, that stay in view when the others scroll. */
  readonly frozenColumns: number
  readonly rowHeight: RowHeight
  /** True if text continues on the next line of a row that has several. */
  readonly wrapText: boolean
}

/** Limits of the width of a column, in pixels. */
export const MIN_WIDTH = 72
export const MAX_WIDTH = 2_000

/** Returns the arrangement of a table that nobody has arranged. */
export function plainArrangement(ids: readonly string[]): Arrangement {
  const columns = ids.map((id) => ({ id }))
  return { columns, frozenColumns: 0, rowHeight: 'short', wrapText: false }
}

/**
 * Returns an arrangement of the columns that a table has. One that is not arranged follows the column that it follows in the
 * table; a last one comes last, so that columns added by a paste are where it goes on.
 */
export function fitColumns(arrangement: Arrangement, ids: readonly string[]): Arrangement {
  const known = new Set(ids)
  const columns = arrangement.columns.filter(({ id }) => known.has(id))
  const isArranged = (id: string) => columns.some((column) => column.id === id)
  ids.forEach((id, place) => {
    if (isArranged(id)) return
    const isLast = !ids.slice(place).some(isArranged)
    const before = columns.findIndex((column) => column.id === ids[place - 1])
    columns.splice(isLast ? columns.length : before + 1, 0, { id })
  })
  if (columns.length > 0 && columns.every(({ hidden }) => hidden === true))
    columns[0] = { ...columns[0], id: columns[0]?.id ?? '', hidden: false }
  return withFrozen({ ...arrangement, columns }, arrangement.frozenColumns)
}

/** Returns the ids of the columns that are not hidden, in their order. */
export function shownIds({ columns }: Arrangement): string[] {
  return columns.filter(({ hidden }) => hidden !== true).map(({ id }) => id)
}

/** Returns the ids of the hidden columns. */
export function hiddenIds({ columns }: Arrangement): string[] {
  return columns.filter(({ hidden }) => hidden === true).map(({ id }) => id)
}

/** Orders the shown columns. Hidden ones keep their places. */
export function withOrder(arrangement: Arrangement, ordered: readonly string[]): Arrangement {
  const byId = new Map(arrangement.columns.map((column) => [column.id, column]))
  const rest = [...ordered]
  const columns = arrangement.columns.map((column) =>
    column.hidden === true ? column : (byId.get(rest.shift() ?? '') ?? column),
  )
  return { ...arrangement, columns }
}

/** Moves a shown column by one place to the left (-1) or right (1), as far as there is one. */
export function moveBy(arrangement: Arrangement, id: string, by: -1 | 1): Arrangement {
  const ids = shownIds(arrangement)
  const from = ids.indexOf(id)
  const to = from + by
  if (from < 0 || to < 0 || to >= ids.length) return arrangement
  ids.splice(to, 0, ...ids.splice(from, 1))
  return withOrder(arrangement, ids)
}

/** Sets the width of a column, within the limits. */
export function withWidth(arrangement: Arrangement, id: string, width: number): Arrangement {
  const within = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)))
  return changeColumn(arrangement, id, { width: within })
}

/** Sets what is shown below the cells of a column; undefined for nothing. */
export function withSummary(
  arrangement: Arrangement,
  id: string,
  summary: AggregateName | undefined,
): Arrangement {
  return changeColumn(arrangement, id, { summary })
}

/** Hides or shows a column. The last shown one stays; as many columns as before of those that stay shown are frozen. */
export function withHidden(arrangement: Arrangement, id: string, hidden: boolean): Arrangement {
  const shown = shownIds(arrangement)
  if (hidden && shown.length === 1) return arrangement
  const frozen = new Set(shown.slice(0, arrangement.frozenColumns))
  const changed = changeColumn(arrangement, id, { hidden })
  const ids = shownIds(changed)
  const lastFrozen = ids.findLastIndex((one) => frozen.has(one))
  return withFrozen(changed, lastFrozen + 1)
}

/** Shows all columns. */
export function withoutHidden(arrangement: Arrangement): Arrangement {
  return hiddenIds(arrangement).reduce((all, id) => withHidden(all, id, false), arrangement)
}

/** Freezes a number of shown columns, as far as there are that many. */
export function withFrozen(arrangement: Arrangement, count: number): Arrangement {
  const frozenColumns = Math.max(0, Math.min(count, shownIds(arrangement).length))
  return { ...arrangement, frozenColumns }
}

/** Sets the height of rows. Text of a single line cannot be wrapped. */
export function withRowHeight(arrangement: Arrangement, rowHeight: RowHeight): Arrangement {
  const wrapText = arrangement.wrapText && rowHeight !== 'short'
  return { ...arrangement, rowHeight, wrapText }
}

/** Wraps text or not. To wrap it, rows get more than one line. */
export function withWrap(arrangement: Arrangement, wrapText: boolean): Arrangement {
  const isShort = arrangement.rowHeight === 'short'
  return {
    ...arrangement,
    wrapText,
    rowHeight: wrapText && isShort ? 'medium' : arrangement.rowHeight,
  }
}

/**
 * Returns how many frozen columns of the given widths fit into a part of a view, so that the others can be scrolled into the
 * rest of it.
 */
export function frozenWithin(widths: readonly number[], pixels: number): number {
  let left = pixels
  const beyond = widths.findIndex((width) => (left -= width) < 0)
  return beyond < 0 ? widths.length : beyond
}

function changeColumn(
  arrangement: Arrangement,
  id: string,
  change: Partial<ArrangedColumn>,
): Arrangement {
  const columns = arrangement.columns.map((column) =>
    column.id === id ? { ...column, ...change } : column,
  )
  return { ...arrangement, columns }
}
