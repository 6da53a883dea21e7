import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client'
import { tablePath, type Column, type Row } from '../../api/resources'
import { createBatch, sharedBatch } from '../../api/batch'

/** The column whose values are displayed for references to the rows of a table. */
export interface LabelSource {
  readonly docId: string
  readonly tableId: string
  readonly column: Column
}

/** Maximum number of search results. */
export const MAX_FOUND = 20
/** Labels no longer shown are evicted soon, because a long table can have many. */
const CACHE_MS = 30_000

/** Returns the column that labels the rows of a table: the configured one, or the first text or choice column. */
export function labelColumn(columns: readonly Column[], visibleCol: number): Column | undefined {
  return (
    columns.find(({ fields }) => visibleCol !== 0 && fields.colRef === visibleCol) ??
    columns.find(({ fields }) => ['Text', 'Choice'].includes(fields.type))
  )
}

/** The label of a row; null if the row does not exist. Labels requested at the same time are fetched together. */
export const labelQuery = (source: LabelSource | undefined, rowId: number) =>
  queryOptions({
    queryKey: ['document', source?.docId, 'label', source?.tableId, source?.column.id, rowId],
    queryFn: async () => {
      if (!source) return null
      const { docId, tableId, column } = source
      const key = JSON.stringify([docId, tableId, column.id])
      const batch = sharedBatch(key, () => createBatch((ids) => fetchLabels(source, ids)))
      return (await batch.load(rowId)) ?? null
    },
    enabled: source !== undefined && rowId > 0,
    gcTime: CACHE_MS,
    staleTime: CACHE_MS,
  })

async function fetchLabels(
  { docId, tableId, column }: LabelSource,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { readonly value: unknown }>> {
  const records = await fetchRows(docId, tableId, {
    filter: { id: ids },
    fields: [column.id],
  })
  return new Map(records.map(({ id, fields }) => [id, { value: fields[column.id] }]))
}

/** The first rows of a table whose label contains a text, or whose id is that number. */
export const rowsQuery = (table: Pick<LabelSource, 'docId' | 'tableId'>, search: RowSearch) =>
  queryOptions({
    queryKey: ['document', table.docId, 'find', table.tableId, search.column?.id, search.text],
    queryFn: ({ signal }) =>
      fetchRows(table.docId, table.tableId, { ...selection(search), limit: MAX_FOUND }, signal),
    gcTime: CACHE_MS,
  })

interface RowSearch {
  readonly text: string
  readonly column: Column | undefined
}

function selection({ text, column }: RowSearch): object {
  const fields = column && [column.id]
  const sort = column ? [column.id] : ['id']
  if (text === '') return { fields, sort }
  const byText = column && { [column.id]: { contains: text, ignoreCase: true } }
  const byId = /^\d{1,15}$/.test(text) ? { id: [Number(text)] } : undefined
  const any = [byText, byId].filter((filter) => filter !== undefined)
  return { fields, sort, filter: any.length === 0 ? { id: [] } : { or: any } }
}

async function fetchRows(
  docId: string,
  tableId: string,
  body: object,
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  const path = `${tablePath(docId, tableId)}/records/list`
  return (await call<{ records: Row[] }>('POST', path, { body, signal })).records
}
