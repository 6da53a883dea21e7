import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../base/cell-type'
import { MAX_FOUND, rowsQuery } from './label-queries'
import type { Option } from '../base/pick-list'
import { rowLabel, tableOf, useLabelSource } from './use-labels'

/** Typing that goes on is waited for before the server is asked. */
const SETTLE_MS = 150

interface Found {
  readonly options: readonly Option[]
  readonly isLoading: boolean
  readonly error: unknown
  readonly note: string | undefined
}

/** The rows of the referenced table that a search finds. */
export function useRefOptions(column: Column, context: CellContext, search: string): Found {
  const text = search.trim()
  const settled = useSettled(text)
  const source = useLabelSource(column, context)
  const tableId = tableOf(column.fields.type)
  const wanted = { text: settled, column: source?.column }
  const { data, error, isFetching } = useQuery({
    ...rowsQuery({ docId: context.docId, tableId }, wanted),
    placeholderData: (before) => before,
  })
  const options = (data ?? []).map(({ id, fields }) => ({
    key: String(id),
    label: source ? rowLabel(id, fields[source.column.id], source) : `#${id}`,
    value: id,
  }))
  const isLoading = text !== settled || (isFetching && error === null)
  const isCut = options.length === MAX_FOUND
  return { options, isLoading, error, note: isCut ? 'Type to find others' : undefined }
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
