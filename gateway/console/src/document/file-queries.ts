import { infiniteQueryOptions } from '@tanstack/react-query'
import { docOf } from '../api/sheaf'

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
    queryFn: ({ pageParam: offset, signal }) =>
      docOf(docId).attachments.list({ sort: '-timeUploaded', limit: PAGE_SIZE, offset, signal }),
    getNextPageParam: (last, all) => (last.length < PAGE_SIZE ? undefined : all.length * PAGE_SIZE),
  })
