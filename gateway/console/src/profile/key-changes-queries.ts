import { infiniteQueryOptions } from '@tanstack/react-query'
import { sheaf } from '../api/sheaf'
import type { TableCounts } from '../history/describe-change'
import { keysKey } from './api-keys'

/** A change that a key made in a document. */
export interface KeyChange {
  readonly docId: string
  readonly docName: string
  readonly seq: number
  readonly time: string
  readonly tables: readonly TableCounts[]
  /** True if `tables` is incomplete. */
  readonly truncated?: true
}

interface KeyChangesPage {
  readonly changes: readonly KeyChange[]
  readonly next: string | null
  /** Documents that could not be read. */
  readonly unavailable: readonly { readonly docId: string; readonly docName: string }[]
}

/** Key of the query of all changes of a key. */
export const keyChangesKey = (keyId: string) => [...keysKey, 'changes', keyId]

/** What a key has changed in all documents, newest first, page by page. */
export const keyChangesQuery = (keyId: string) =>
  infiniteQueryOptions({
    queryKey: keyChangesKey(keyId),
    queryFn: ({ pageParam: cursor, signal }) => {
      const path = `/api/profile/apikeys/${encodeURIComponent(keyId)}/changes`
      return sheaf().request<KeyChangesPage>({ method: 'GET', path, query: { cursor } }, { signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
