import { queryOptions } from '@tanstack/react-query'
import { labelKey, type Column, type Row } from '../../api/resources'
import { docOf, type AnyDoc } from '../../api/sheaf'
import { createBatch, sharedBatch } from '../../api/batch'

/** The column whose values are displayed for references to the rows of a table. */
export interface LabelSource {
  readonly docId: string
  readonly tableId: string
  readonly column: Column
  /** The seq of the change as of which rows are read; undefined for the present. */
  readonly asOf?: string
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
    queryKey: labelKey(
      {
        docId: source?.docId,
        tableId: source?.tableId,
        columnId: source?.column.id,
        asOf: source?.asOf,
      },
      rowId,
    ),
    queryFn: async () => {
      if (!source) return null
      const { docId, tableId, column, asOf } = source
      const key = JSON.stringify([docId, tableId, column.id, asOf])
      const batch = sharedBatch(key, () => createBatch((ids) => fetchLabels(source, ids)))
      return (await batch.load(rowId)) ?? null
    },
    enabled: source !== undefined && rowId > 0,
    gcTime: CACHE_MS,
    staleTime: CACHE_MS,
  })

async function fetchLabels(
  source: LabelSource,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { readonly value: unknown }>> {
  const { column } = source
  const records = await fetchRows(source, { filter: { id: ids }, fields: [column.id] })
  return new Map(records.map(({ id, fields }) => [id, { value: fields[column.id] }]))
}

/** The first rows of a table whose label contains a text, or whose id is that number. */
export const rowsQuery = (table: Omit<LabelSource, 'column'>, search: RowSearch) =>
  queryOptions({
    queryKey: [
      'document',
      table.docId,
      'find',
      table.tableId,
      search.column?.id,
      search.text,
      { asOf: table.asOf },
    ],
    queryFn: ({ signal }) => fetchRows(table, { ...selection(search), limit: MAX_FOUND }, signal),
    gcTime: CACHE_MS,
  })

interface RowSearch {
  readonly text: string
  readonly column: Column | undefined
}

type RowSelection = Parameters<ReturnType<AnyDoc['table']>['page']>[0]

function selection({ text, column }: RowSearch): RowSelection {
  const fields = column && [column.id]
  const sort = column ? [column.id] : ['id']
  if (text === '') return { fields, sort }
  const byText = column && { [column.id]: { contains: text, ignoreCase: true } }
  const byId = /^\d{1,15}$/.test(text) ? { id: [Number(text)] } : undefined
  const any = [byText, byId].filter((filter) => filter !== undefined)
  return { fields, sort, filter: any.length === 0 ? { id: [] } : { or: any } }
}

async function fetchRows(
  { docId, tableId, asOf }: Omit<LabelSource, 'column'>,
  selection: RowSelection,
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  return (
    await docOf(docId)
      .table(tableId)
      .page({ ...selection, asOf, signal })
  ).records
}
