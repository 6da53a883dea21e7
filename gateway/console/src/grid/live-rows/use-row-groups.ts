import type { AggregateName, Change } from '@sheaf/client'
import { useEffect, useMemo } from 'react'
import type { Column } from '../../api/resources'
import type { ChangeListener } from '../../live/change-stream'
import { useLiveChanges } from '../../live/live-provider'
import { CollapsedGroups } from '../groups/collapsed-groups'
import { GroupedRows } from '../groups/grouped-rows'
import { LiveGroups } from '../groups/live-groups'
import type { ColumnSummary } from '../grouping/summaries'
import { RowsApi } from '../rows/rows-api'
import {
  columnOf,
  rowOrder,
  viewParameters,
  type GridView,
  withoutGoneKeys,
} from '../view/grid-view'
import type { RowSelection, ShownTable } from './use-live-rows'

/** The groups of the rows of a grid. */
export interface RowGroups {
  readonly live: LiveGroups
  /** Undefined for rows without groups. */
  readonly grouped: GroupedRows | undefined
  readonly groupedBy: readonly Column[]
  /** The rows in the order of their groups. */
  readonly selection: RowSelection
}

/** What is grouped, and summarized. */
export interface GroupParts {
  readonly columns: readonly Column[]
  readonly summaries: readonly ColumnSummary[]
}

/** Groups the rows of a view, and reads what their cells come to, as long as rows change. Columns that do not exist group and sort nothing. */
export function useRowGroups(
  table: ShownTable,
  { view: given, search }: RowSelection,
  { columns, summaries }: GroupParts,
): RowGroups {
  const view = useKnownKeys(given, columns)
  const { docId, tableId, asOf } = table
  const { group, filter } = viewParameters(view)
  const aggregate = JSON.stringify(summaries.map(({ column, name }) => [column.id, name]))
  const isWanted = group !== '' || summaries.length > 0
  const read = useMemo(() => {
    const api = new RowsApi({ docId, tableId, sort: '', filter, search, asOf })
    const pairs = JSON.parse(aggregate) as [string, AggregateName][]
    const wanted = Object.fromEntries(pairs.map(([id, name]) => [id, [name]]))
    return (signal: AbortSignal) => api.readGroups(group, wanted, signal)
  }, [docId, tableId, group, filter, search, asOf, aggregate])
  const live = useMemo(
    () => new LiveGroups(),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the groups of other rows are others
    [docId, tableId, group, filter, search, asOf],
  )
  useEffect(() => live.open(), [live])
  useEffect(() => {
    live.use(read)
    if (isWanted) live.schedule()
  }, [live, read, isWanted])
  useGroupChanges(live, { tableId, search, isWanted })
  const collapsed = useMemo(
    () => new CollapsedGroups(),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- other groups are not collapsed
    [docId, tableId, group],
  )
  const grouped = useMemo(
    () => (group === '' ? undefined : new GroupedRows({ groups: live, collapsed })),
    [group, live, collapsed],
  )
  const selection = useMemo<RowSelection>(
    () => ({
      view: { ...view, sort: rowOrder(view) },
      search,
      arrange: grouped && ((readPage) => grouped.over(readPage)),
    }),
    [view, search, grouped],
  )
  const groupedBy = useMemo(
    () =>
      (view.groups ?? []).flatMap((key) => columns.find(({ id }) => id === columnOf(key)) ?? []),
    [view, columns],
  )
  return useMemo(
    () => ({ live, grouped, groupedBy, selection }),
    [live, grouped, groupedBy, selection],
  )
}

function useKnownKeys(view: GridView, columns: readonly Column[]): GridView {
  return useMemo(() => withoutGoneKeys(view, columns), [view, columns])
}

interface ChangeTarget extends Pick<RowSelection, 'search'> {
  readonly tableId: string
  readonly isWanted: boolean
}

/** Reads groups again after changes of the table, or of others whose texts are searched. */
function useGroupChanges(
  live: LiveGroups,
  { tableId, search: { text, tables }, isWanted }: ChangeTarget,
): void {
  const listener = useMemo<ChangeListener>(() => {
    const concerned = new Set([tableId, ...(text === '' ? [] : tables.split(','))])
    const isConcerned = ({ operations, truncated }: Change) =>
      truncated === true || operations.some((operation) => concerned.has(operation.tableId))
    return {
      onChange: (change) => {
        if (isWanted && isConcerned(change)) live.schedule()
      },
      onGap: () => {
        if (isWanted) live.schedule()
      },
    }
  }, [live, tableId, text, tables, isWanted])
  useLiveChanges(listener)
}
