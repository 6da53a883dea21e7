import type { Workspace } from '@sheaf/client'
import { useQueries, useQuery } from '@tanstack/react-query'
import type { ImportTarget } from '../import/import-dialog'
import { canAddTo } from '../sites/can-add-to'
import { siteName } from '../sites/site-name'
import { orgsQuery, workspacesQuery } from '../api/resources'
import { placeDocuments, type PlacedDocument } from './find-documents'

/** Sites whose documents are listed together: each is read by a request of its own. */
export const MAX_SITES = 20

/** All documents of the user, of their first 20 sites. */
export interface UserDocuments {
  readonly documents: readonly PlacedDocument[]
  /** The workspaces that the user can add documents to, named with their sites. */
  readonly workspaces: readonly ImportTarget[]
  readonly isLoading: boolean
  /** Why the documents of a site are missing; null for none. */
  readonly error: Error | null
  /** True when documents of further sites are missing. */
  readonly isPartial: boolean
}

/** Reads the documents of the user. Places that show them at the same time share the requests. */
export function useDocuments(): UserDocuments {
  const orgs = useQuery(orgsQuery)
  const shown = (orgs.data ?? []).slice(0, MAX_SITES)
  return useQueries({
    queries: shown.map(({ id }) => workspacesQuery(String(id))),
    combine: (results) => ({
      documents: results.flatMap(({ data }, index) => {
        const org = shown[index]
        return org && data ? placeDocuments(org, data) : []
      }),
      workspaces: results.flatMap(({ data = [] }, index) => {
        const org = shown[index]
        const toTarget = ({ id, name }: Workspace) => ({
          id,
          name: org ? `${siteName(org)} / ${name}` : name,
        })
        return data.filter(canAddTo).map(toTarget)
      }),
      isLoading: orgs.isLoading || results.some(({ isLoading }) => isLoading),
      error: orgs.error ?? results.find(({ error }) => error)?.error ?? null,
      isPartial: (orgs.data?.length ?? 0) > MAX_SITES,
    }),
  })
}
