import type { ReadOptions } from './call-options.ts'
import type { ColumnId, Row, TableTypes } from './document-types.ts'

/** Conditions on the values of a column, all of which a row must meet. */
export interface Operators<Value> {
  readonly eq?: Value
  readonly ne?: Value
  readonly in?: readonly Value[]
  readonly notIn?: readonly Value[]
  readonly lt?: Value
  readonly lte?: Value
  readonly gt?: Value
  readonly gte?: Value
  readonly between?: readonly [from: Value, to: Value]
  readonly contains?: string
  readonly notContains?: string
  readonly startsWith?: string
  readonly endsWith?: string
  readonly isNull?: boolean
  /** An item that the list in the cell contains, or several. */
  readonly has?: unknown
  /** Items of which the list in the cell contains one at least. */
  readonly hasAny?: unknown
  /** Items of which the list in the cell contains none. */
  readonly hasNone?: unknown
  readonly ignoreCase?: boolean
}

/** Conditions by column, all of which a row must meet: a list of permitted values, or operators. */
export type Filter<T extends TableTypes> = {
  readonly [C in keyof T['read']]?: readonly T['read'][C][] | Operators<T['read'][C]>
} & {
  readonly id?: readonly T['id'][] | Operators<number>
  /** Alternatives, of which a row must meet one. */
  readonly or?: readonly Filter<T>[]
  /** Filters that a row must meet as well: several conditions on one column, several groups of alternatives. */
  readonly and?: readonly Filter<T>[]
}

type Sorted<C extends string> = C | `-${C}`

/** A column to sort by; `-` before it for descending order, and flags after it: `-Name:naturalSort;emptyLast`. */
export type SortKey<T extends TableTypes> =
  Sorted<ColumnId<T> | 'id'> | `${Sorted<ColumnId<T>>}:${string}`

/** A text for which records are searched. */
export interface TextSearch<T extends TableTypes> {
  /** Text that a cell of a record must contain, ignoring case; 1 to 200 characters. */
  readonly search?: string
  /** Columns in which `search` looks; all that are not hidden by default. */
  readonly searchFields?: readonly ColumnId<T>[]
  /** Language tag of the reader: `search` also finds numbers and dates as this language shows them. One that Sheaf cannot write has no effect. */
  readonly searchLocale?: string
}

/** Which records are read, and in which order. */
export interface Selection<T extends TableTypes, Columns extends ColumnId<T> = ColumnId<T>>
  extends ReadOptions, TextSearch<T> {
  readonly filter?: Filter<T>
  /** Columns to sort by; row ids by default. */
  readonly sort?: SortKey<T> | readonly SortKey<T>[]
  /** Maximum number of records; all by default. */
  readonly limit?: number
  /** Number of records to skip; of one page, after its cursor. */
  readonly offset?: number
  /** Columns to read; all by default. */
  readonly fields?: readonly Columns[]
  /** Reads hidden columns as well. */
  readonly hidden?: boolean
}

/** Selection of one page of records. */
export interface PageSelection<
  T extends TableTypes,
  Columns extends ColumnId<T> = ColumnId<T>,
> extends Selection<T, Columns> {
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** Counts all records that pass filter and search. */
  readonly count?: boolean
}

/** State of a document. */
export interface Position {
  /** Tag of the document, for `ifMatch`. */
  readonly etag: string
  /** Position of the document in its log, for `changes({ after })`. */
  readonly seq: number
}

/** One page of records. */
export interface Page<
  T extends TableTypes,
  Columns extends ColumnId<T> = ColumnId<T>,
> extends Position {
  readonly records: readonly Row<T, Columns>[]
  /** Cursor of the next page; undefined on the last page. */
  readonly nextCursor: string | undefined
  /** Number of records that pass filter and search; with `count`. */
  readonly totalCount: number | undefined
}

/** Converts a selection to the body of a request. */
export function toSelectionBody<T extends TableTypes, C extends ColumnId<T>>(
  selection: PageSelection<T, C>,
  page: { readonly cursor: string; readonly limit: number | undefined },
): object {
  const { filter, search, searchFields, searchLocale, sort, offset, fields, hidden, count } =
    selection
  return {
    filter,
    search,
    searchFields,
    searchLocale,
    sort: typeof sort === 'string' ? [sort] : sort,
    fields,
    hidden,
    count,
    limit: page.limit,
    offset,
    // A cursor needs the number of records of its page.
    ...(page.limit !== undefined && { cursor: page.cursor }),
  }
}

/** Returns filter and search as the query of a request. */
export const toFoundQuery = <T extends TableTypes>({
  filter,
  search,
  searchFields,
  searchLocale,
}: TextSearch<T> & { readonly filter?: Filter<T> }): Record<string, string | undefined> => ({
  filter: filter && JSON.stringify(filter),
  search,
  searchFields: searchFields?.join(','),
  searchLocale,
})

/** Returns the position in an ETag, `W/"<epoch>.<seq>"`; 0 for a missing one. */
export function readSeq(etag: string): number {
  return Number(/\.(\d+)/.exec(etag)?.[1] ?? 0)
}

/** Returns the epoch in an ETag, which names the log that its position belongs to; undefined for a missing one. */
export function readEpoch(etag: string): string | undefined {
  return /"([^".]+)\./.exec(etag)?.[1]
}
