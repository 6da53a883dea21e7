import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client'
import { tablePath, type Column, type Row } from '../../api/resources'
import { createBatch, sharedBatch } from '../../api/batch'

/** What a reference shows of the row it names: a column of the table of that row. */
export interface LabelSource {
  readonly docId: string
  readonly tableId: string
  readonly column: Column
}

/** Rows that a search shows at once. */
export const MAX_FOUND = 20
/** Labels that nobody shows any more are forgotten soon: a long table has many. */
const FORGET_MS = 30_000

/** The column that tells people which row is meant: the one that was chosen for it, else the first with text. */
export function labelColumn(columns: readonly Column[], visibleCol: number): Column | undefined {
  return (
    columns.find(({ fields }) => visibleCol !== 0 && fields.colRef === visibleCol) ??
    columns.find(({ fields }) => ['Text', 'Choice'].includes(fields.type))
  )
}

/** The label of a row; null where there is no such row. Labels that are wanted at one time are fetched at once. */
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
    gcTime: FORGET_MS,
    staleTime: FORGET_MS,
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

/** The first rows of a table whose label holds a text, and the one with that number. */
export const rowsQuery = (context: Pick<LabelSource, 'docId' | 'tableId'>, wanted: RowSearch) =>
  queryOptions({
    queryKey: ['document', context.docId, 'find', context.tableId, wanted.column?.id, wanted.text],
    queryFn: ({ signal }) =>
      fetchRows(context.docId, context.tableId, { ...selection(wanted), limit: MAX_FOUND }, signal),
    gcTime: FORGET_MS,
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
