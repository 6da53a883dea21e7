import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../editing/cell-type'
import type { Option } from '../editing/pick-list'
import { MAX_FOUND, rowsQuery } from './label-queries'
import { rowLabel, tableOf, useLabelSource } from './use-labels'

/** Debounce time of the search. */
const DEBOUNCE_MS = 150

interface Found {
  readonly options: readonly Option[]
  readonly isLoading: boolean
  readonly error: unknown
  readonly note: string | undefined
}

/** The rows of the referenced table that match a search. */
export function useRefOptions(column: Column, context: CellContext, search: string): Found {
  const text = search.trim()
  const debounced = useDebounced(text)
  const source = useLabelSource(column, context)
  const tableId = tableOf(column.fields.type)
  const rowSearch = { text: debounced, column: source?.column }
  const { data, error, isFetching } = useQuery({
    ...rowsQuery({ docId: context.docId, tableId }, rowSearch),
    placeholderData: (before) => before,
  })
  const options = (data ?? []).map(({ id, fields }) => ({
    key: String(id),
    label: source ? rowLabel(id, fields[source.column.id], source) : `#${id}`,
    value: id,
  }))
  const isLoading = text !== debounced || (isFetching && error === null)
  const isTruncated = options.length === MAX_FOUND
  return { options, isLoading, error, note: isTruncated ? 'Type to search for more' : undefined }
}

function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
