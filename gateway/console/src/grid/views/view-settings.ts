import type { ViewFields, ViewSettings } from '@sheaf/client'
import {
  fitColumns,
  MAX_WIDTH,
  MIN_WIDTH,
  readSummary,
  rowHeights,
  type ArrangedColumn,
  type Arrangement,
} from '../arrangement/arrangement'
import { readView, viewParameters, type GridView } from '../view/grid-view'

/** The fields of a view that decide which rows and columns are shown, and how. */
type ShownFields = Pick<
  ViewFields,
  | 'sort'
  | 'filter'
  | 'columns'
  | 'frozenColumns'
  | 'rowHeight'
  | 'wrapText'
  | 'groupBy'
  | 'summaries'
>

/** Longest name of a view, in characters. */
export const MAX_NAME = 100

/** Returns the sort order, groups and filter of a view. */
export function gridViewOf({
  sort,
  filter,
  groupBy,
}: Pick<ShownFields, 'sort' | 'filter' | 'groupBy'>): GridView {
  return readView(
    new URLSearchParams({
      sort: sort.join(','),
      group: groupBy.join(','),
      filter: JSON.stringify(filter),
    }),
  )
}

/** Returns the arrangement of the columns with the given ids by a view. Those that it does not list come last. */
export function arrangementOf(fields: ShownFields, ids: readonly string[]): Arrangement {
  const listed = new Set(fields.columns.map(({ id }) => id))
  const columns = fields.columns.map(({ id, width, hidden }) => ({
    id,
    ...(width !== undefined && { width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)) }),
    ...(hidden === true && { hidden }),
  }))
  const others = ids.filter((id) => !listed.has(id)).map((id) => ({ id }))
  const withSummary = (column: ArrangedColumn): ArrangedColumn => {
    const summary = readSummary(fields.summaries[column.id])
    return summary ? { ...column, summary } : column
  }
  return fitColumns(
    {
      columns: [...columns, ...others].map(withSummary),
      frozenColumns: fields.frozenColumns,
      rowHeight: rowHeights.find((height) => height === fields.rowHeight) ?? 'short',
      wrapText: fields.wrapText,
    },
    ids,
  )
}

/** Returns the fields of a view with which a table is shown in this way. */
export function settingsOf(view: GridView, arrangement: Arrangement): ShownFields {
  const { sort, group } = viewParameters(view)
  const columns = arrangement.columns.map(({ id, width, hidden }) => ({
    id,
    ...(width !== undefined && { width }),
    ...(hidden === true && { hidden }),
  }))
  const { frozenColumns, rowHeight, wrapText } = arrangement
  return {
    sort: sort === '' ? [] : sort.split(','),
    filter: view.filter,
    columns,
    frozenColumns,
    rowHeight,
    wrapText,
    groupBy: group === '' ? [] : group.split(','),
    summaries: Object.fromEntries(
      arrangement.columns.flatMap(({ id, summary }) => (summary ? [[id, summary]] : [])),
    ),
  }
}

/**
 * Returns the fields in which a table is not shown as a view has it; `{}` if it is. Only these are saved, so that changes of
 * other fields by others stay.
 */
export function changedSettings(
  fields: ShownFields,
  shown: ShownFields,
  ids: readonly string[],
): ViewSettings {
  const saved = settingsOf(gridViewOf(fields), arrangementOf(fields, ids))
  const changed = Object.entries(shown).filter(
    ([name, value]) => canonical(value) !== canonical(saved[name as keyof ShownFields]),
  )
  return Object.fromEntries(changed)
}

/** Returns true if rows are sorted and filtered in the same way. */
export function isSameView(one: GridView, other: GridView): boolean {
  return canonical(viewParts(one)) === canonical(viewParts(other))
}

const viewParts = (view: GridView) => {
  const { sort, group } = viewParameters(view)
  return [sort, group, view.filter]
}

/** The order of the conditions of a filter has no meaning. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** Returns a name for a copy of a view that no other view has. */
export function copyName(name: string, taken: readonly string[]): string {
  const known = new Set(taken.map((other) => other.toLowerCase()))
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? ' copy' : ` copy ${number}`
    const copy = [...name].slice(0, MAX_NAME - end.length).join('') + end
    if (!known.has(copy.toLowerCase())) return copy
  }
}
