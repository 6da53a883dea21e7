import { useQuery } from '@tanstack/react-query'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { MAX_FOUND, rowsQuery } from '../../cells/reference/label-queries'
import type { Filter } from '../view/grid-view'
import { refersToRows, valueFamily } from './conditions'
import { useLabelSources } from './value-labels'
import { MAX_VALUES, valuesQuery } from './value-queries'

/** The values of a column that are listed. */
interface ListedValues {
  readonly values: readonly { readonly value: unknown; readonly count: number }[]
  /** False if there are values that are not listed. */
  readonly isComplete: boolean
  /** What is not listed, in words. */
  readonly note: string | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

/** A column, and the filter of the rows whose values are counted. */
interface ValuesSource {
  readonly column: Column
  readonly context: CellContext
  readonly filter: Filter
}

/**
 * The values of a column, as far as they are needed to search for a text: text is searched for among all values, references
 * among the rows of their table, and others among the most frequent values.
 */
export function useListedValues(from: ValuesSource, text: string): ListedValues {
  const { column, context, filter } = from
  const isText = valueFamily(column) === 'text'
  const matching = { [column.id]: { contains: text, ignoreCase: true } }
  const rest = isText && text !== '' ? both(filter, matching) : filter
  const { data, error, isFetching } = useQuery(valuesQuery(context, column.id, rest))
  const { values = [], total = 0 } = data ?? {}
  const isComplete = total <= MAX_VALUES
  const found = useFoundReferences(from, isComplete ? '' : text)
  const listed = new Set(values.map(({ value }) => value))
  const more = found.values.filter(({ value }) => !listed.has(value))
  const counted = `${MAX_VALUES} most frequent of ${total.toLocaleString()} values`
  const noteOf = () => {
    if (text === '' || isText) return `The ${counted}.`
    if (!refersToRows(column)) return `Only the ${counted} are searched.`
    return found.isTruncated ? 'Type more to find further rows.' : undefined
  }
  return {
    values: [...values, ...more],
    isComplete,
    note: isComplete ? undefined : noteOf(),
    error: error ?? found.error,
    isLoading: isFetching || found.isLoading,
  }
}

const both = (filter: Filter, other: Filter): Filter =>
  Object.keys(filter).length === 0 ? other : { and: [filter, other] }

/** The references to rows with a label that contains a text; none for other columns, and without a text. */
function useFoundReferences({ column, context, filter }: ValuesSource, text: string) {
  const source = useLabelSources([column], context)(column)
  const isSearched = source !== undefined && text !== ''
  const rows = useQuery({
    ...rowsQuery(source ?? context, { text, column: source?.column }),
    enabled: isSearched,
  })
  const ids = isSearched ? (rows.data ?? []).map(({ id }) => id) : []
  const named = { [column.id]: valueFamily(column) === 'list' ? { hasAny: ids } : ids }
  const isFound = ids.length > 0
  const counts = useQuery({
    ...valuesQuery(context, column.id, both(filter, named)),
    enabled: isFound,
  })
  const values = isFound ? (counts.data?.values ?? []) : []
  return {
    values: values.filter(({ value }) => ids.includes(value as number)),
    isTruncated: ids.length === MAX_FOUND,
    error: rows.error ?? counts.error,
    isLoading: rows.isFetching || counts.isFetching,
  }
}
