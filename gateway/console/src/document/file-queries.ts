import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import { docPath } from '../api/resources'

/** An attachment of a document. */
export interface FileRecord {
  readonly id: number
  readonly fields: {
    readonly fileName: string
    readonly fileSize: number
    readonly timeUploaded: string
  }
}

/** Files per page. */
const PAGE_SIZE = 100

/** Key prefix of all queries about the attachments of a document. */
export const filesKey = (docId: string): readonly string[] => ['document', docId, 'attachments']

/** The attachments of a document, newest first, in pages. */
export const filesQuery = (docId: string) =>
  infiniteQueryOptions({
    queryKey: filesKey(docId),
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) =>
      (
        await call<{ records: FileRecord[] }>('GET', `${docPath(docId)}/attachments`, {
          query: { sort: '-timeUploaded', limit: PAGE_SIZE, offset: pageParam },
          signal,
        })
      ).records,
    getNextPageParam: (last, all) => (last.length < PAGE_SIZE ? undefined : all.length * PAGE_SIZE),
  })
