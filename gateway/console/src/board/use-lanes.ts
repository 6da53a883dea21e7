import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useValueLabels } from '../grid/filter/value-labels'
import { valuesQuery } from '../grid/filter/value-queries'
import type { Filter } from '../grid/view/grid-view'
import type { ChangeListener } from '../live/change-stream'
import { useLiveChanges } from '../live/live-provider'
import {
  hasFixedLanes,
  hiddenValues,
  laneKey,
  lanesOf,
  laneTitle,
  type HiddenValues,
  type Lane,
} from './lanes'

const NO_VALUES: readonly unknown[] = []

/** The lanes of a board. */
export interface Lanes {
  /** The same array while these are the same. */
  readonly lanes: readonly Lane[]
  readonly titleOf: (lane: Lane) => string
  /** The values that have no lane, if any. */
  readonly hidden: HiddenValues | undefined
  /** True until the values of the column are known. */
  readonly isLoading: boolean
  readonly error: unknown
  readonly retry: () => void
}

interface LaneSource {
  readonly column: Column
  readonly isDescending: boolean
  readonly filter: Filter
}

/** The lanes of a column, and those of values that others enter. */
export function useLanes(context: CellContext, source: LaneSource): Lanes {
  const { column, isDescending, filter } = source
  const query = valuesQuery(context, column.id, filter)
  const { data, error, isLoading, refetch } = useQuery({
    ...query,
    enabled: !hasFixedLanes(column),
  })
  const values = useMemo(() => data?.values.map(({ value }) => value) ?? NO_VALUES, [data])
  const labelOf = useValueLabels([{ column, values }], context)
  const textOf = (value: unknown) => labelOf(value, column)
  const found = lanesOf(column, { values, isDescending, textOf })
  const titles = found.map((lane) => [lane.key, laneTitle(lane, column, textOf)] as const)
  const lanes = useSame(found)
  const names = useSame(titles)
  const titleOf = useMemo(() => {
    const byKey = new Map(names)
    return ({ key }: Lane) => byKey.get(key) ?? ''
  }, [names])
  useNewValues(context.tableId, { column, lanes, refetch })
  const isKnown = data !== undefined || hasFixedLanes(column) || found.length > 1
  return {
    lanes,
    titleOf,
    hidden: data && hiddenValues(column, lanes, data),
    isLoading: isLoading && !isKnown,
    error: isKnown ? null : error,
    retry: () => void refetch(),
  }
}

/** Returns the same object as before while it is the same as JSON. */
function useSame<Value>(value: Value): Value {
  const text = JSON.stringify(value)
  return useMemo(() => JSON.parse(text) as Value, [text])
}

interface ShownLanes {
  readonly column: Column
  readonly lanes: readonly Lane[]
  readonly refetch: () => unknown
}

/** Reads the values of the column again when a change has one without a lane. */
function useNewValues(tableId: string, { column, lanes, refetch }: ShownLanes): void {
  useLiveChanges(
    useMemo<ChangeListener>(() => {
      const known = new Set(lanes.map(({ key }) => key))
      const isNew = (value: unknown) => !known.has(laneKey(value, column))
      return {
        onChange({ operations, truncated }) {
          const hasNew = operations.some(
            (operation) =>
              operation.tableId === tableId &&
              'rowIds' in operation &&
              operation.columns[column.id]?.new?.some(isNew) === true,
          )
          if (truncated === true || hasNew) refetch()
        },
        // All data of the document is read again then.
        onGap: () => {},
      }
    }, [tableId, column, lanes, refetch]),
  )
}
