import type { ReadOptions } from './call-options.ts'
import type { ColumnId, TableTypes } from './document-types.ts'
import { toFoundQuery, type Filter, type SortKey, type TextSearch } from './selection.ts'

/** What the cells of a column come to. */
export type AggregateName = 'filled' | 'empty' | 'unique' | 'sum' | 'average' | 'min' | 'max'

/** Which records are counted, and how they are grouped. */
export interface GroupSelection<T extends TableTypes> extends ReadOptions, TextSearch<T> {
  /** Columns to group by, outermost first, 3 at most; none for the total only. */
  readonly groupBy?: readonly SortKey<T>[]
  /** Aggregates by column, 200 at most. */
  readonly aggregate?: { readonly [C in ColumnId<T>]?: readonly AggregateName[] }
  readonly filter?: Filter<T>
  /** Maximum number of innermost groups, 10,000 at most. Default: 1,000. */
  readonly limit?: number
}

/** How many records there are, and what their cells come to. */
export interface GroupCounts {
  readonly count: number
  /** By column; null where there is no number. */
  readonly aggregates: Readonly<Record<string, Partial<Record<AggregateName, number | null>>>>
}

/** Records with the same value of a column. */
export interface Group extends GroupCounts {
  /** A cell as in records. */
  readonly value: unknown
  /** True for a value of more than 1,000 bytes, which is null here. */
  readonly isTooLong?: true
  /** The groups in this one by the next column; absent for the last column. */
  readonly groups?: readonly Group[]
}

/** Records in groups, in the order of records that are sorted by the same columns. */
export interface Groups {
  readonly groups: readonly Group[]
  /** True if there are more groups than these. */
  readonly truncated: boolean
  /** Of all records, also of those whose group is not listed. */
  readonly total: GroupCounts
}

/** Returns a selection of groups as the query of a request. */
export function toGroupsQuery<T extends TableTypes>({
  groupBy,
  aggregate = {},
  limit,
  asOf,
  ...found
}: Omit<GroupSelection<T>, keyof Omit<ReadOptions, 'asOf'>>): Record<
  string,
  string | number | undefined
> {
  const aggregates = Object.entries<readonly AggregateName[] | undefined>(aggregate).flatMap(
    ([id, names = []]) => (names.length > 0 ? [`${id}:${names.join(';')}`] : []),
  )
  return {
    groupBy: groupBy?.join(','),
    aggregate: aggregates.length > 0 ? aggregates.join(',') : undefined,
    ...toFoundQuery(found),
    limit,
    asOf,
  }
}
