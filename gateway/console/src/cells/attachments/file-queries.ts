import { queryOptions } from '@tanstack/react-query'
import { createBatch, sharedBatch } from '../../api/batch'
import { docPath, toUrl } from '../../api/paths'
import { docOf } from '../../api/sheaf'

/** File names no longer shown are evicted soon, because a long table can have many. */
const CACHE_MS = 30_000

/** Returns the download URL of an attachment, now or as of a change. */
export const filePath = (docId: string, fileId: number, asOf?: string): string =>
  toUrl(`${docPath(docId)}/attachments/${fileId}/download`, { asOf })

/** The name of an attachment; null if it does not exist. Names requested at the same time are fetched together. */
export const fileNameQuery = (docId: string, fileId: number, asOf?: string) =>
  queryOptions({
    queryKey: ['document', docId, 'attachments', 'name', fileId, { asOf }],
    queryFn: async () => {
      const create = () => createBatch((ids) => fetchFileNames(docId, ids, asOf))
      return (await sharedBatch(`files of ${docId} ${asOf}`, create).load(fileId)) ?? null
    },
    gcTime: CACHE_MS,
    staleTime: CACHE_MS,
  })

async function fetchFileNames(
  docId: string,
  ids: readonly number[],
  asOf: string | undefined,
): Promise<ReadonlyMap<number, string>> {
  const files = await docOf(docId).attachments.list({ filter: { id: ids }, asOf })
  return new Map(files.map(({ id, fields }) => [id, fields.fileName]))
}
