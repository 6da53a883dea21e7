import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import { docPath } from '../api/resources'

/** A file that is attached to a document. */
export interface FileRecord {
  readonly id: number
  readonly fields: {
    readonly fileName: string
    readonly fileSize: number
    readonly timeUploaded: string
  }
}

/** Files of one page. */
const PAGE = 100

/** Key of all that is known of the files of a document. */
export const filesKey = (docId: string): readonly string[] => ['document', docId, 'attachments']

/** The files of a document page by page, the latest first. */
export const filesQuery = (docId: string) =>
  infiniteQueryOptions({
    queryKey: filesKey(docId),
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) =>
      (
        await call<{ records: FileRecord[] }>('GET', `${docPath(docId)}/attachments`, {
          query: { sort: '-timeUploaded', limit: PAGE, offset: pageParam },
          signal,
        })
      ).records,
    getNextPageParam: (last, all) => (last.length < PAGE ? undefined : all.length * PAGE),
  })
