import { queryOptions } from '@tanstack/react-query'
import { call } from './client'

/** Role of the user on a resource. */
export type Role = 'owners' | 'editors' | 'viewers'

/** A site. */
export interface Org {
  readonly id: number
  readonly name: string
  readonly domain: string
  /** Owner of a personal site; null for a team site. */
  readonly owner: { readonly id: number; readonly name: string } | null
  readonly access: Role | null
}

/** A document in the listing of its workspace. */
export interface DocumentSummary {
  readonly id: number
  readonly name: string
  readonly access: Role | null
  readonly isPinned: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly removedAt?: string
}

/** A workspace with its documents. */
export interface Workspace {
  readonly id: number
  readonly name: string
  readonly access: Role | null
  readonly removedAt?: string
  readonly docs: readonly DocumentSummary[]
}

/** A document with its workspace and site. */
export interface DocumentDescription extends DocumentSummary {
  readonly workspace: {
    readonly id: number
    readonly name: string
    readonly access: Role | null
    readonly org: Org
  }
}

/** A column of a table. */
export interface Column {
  readonly id: string
  readonly fields: {
    readonly colRef: number
    readonly label: string
    readonly type: string
    readonly isFormula: boolean
    readonly formula: string
    /** When a trigger formula runs: 0 for new rows and changes of the columns in `recalcDeps`, 1 never, 2 on every change. */
    readonly recalcWhen: number
    /** Refs of columns, as a list cell. */
    readonly recalcDeps: unknown
    readonly widgetOptions: string
    /** Ref of the column of the referenced table that references display; 0 for the default. */
    readonly visibleCol: number
    /** True for a column whose id does not follow its label. */
    readonly untieColIdFromLabel: boolean
  }
}

/** A table of a document. */
export interface Table {
  readonly id: string
  readonly fields: { readonly tableRef: number }
}

/** A row of a table: its cells by column id. */
export interface Row {
  readonly id: number
  /** Errors of formulas are `["E", name]`. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Returns the API path of a document. */
export const docPath = (docId: string): string => `/api/docs/${encodeURIComponent(docId)}`

/** Returns the API path of a table. */
export const tablePath = (docId: string, tableId: string): string =>
  `${docPath(docId)}/tables/${encodeURIComponent(tableId)}`

/** The sites that the user has access to. */
export const orgsQuery = queryOptions({
  queryKey: ['orgs'],
  queryFn: ({ signal }) => call<Org[]>('GET', '/api/orgs', { signal }),
})

/** One site. */
export const orgQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['orgs', orgId],
    queryFn: ({ signal }) => call<Org>('GET', `/api/orgs/${encodeURIComponent(orgId)}`, { signal }),
  })

/** The workspaces of a site with their documents, or those of them in the trash. */
export const workspacesQuery = (orgId: string, inTrash = false) =>
  queryOptions({
    queryKey: ['workspaces', orgId, inTrash],
    queryFn: ({ signal }) =>
      call<Workspace[]>('GET', `/api/orgs/${encodeURIComponent(orgId)}/workspaces`, {
        query: { showRemoved: inTrash ? 1 : undefined },
        signal,
      }),
  })

/** One document. */
export const documentQuery = (docId: string) =>
  queryOptions({
    queryKey: ['document', docId],
    queryFn: ({ signal }) => call<DocumentDescription>('GET', docPath(docId), { signal }),
  })

/** The tables of a document, now or as of a change. */
export const tablesQuery = (docId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['document', docId, 'tables', { asOf }],
    queryFn: async ({ signal }) =>
      (
        await call<{ tables: Table[] }>('GET', `${docPath(docId)}/tables`, {
          query: { asOf },
          signal,
        })
      ).tables,
  })

/** The columns of a table, without hidden ones, now or as of a change. */
export const columnsQuery = (docId: string, tableId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['document', docId, 'columns', tableId, { asOf }],
    queryFn: async ({ signal }) =>
      (
        await call<{ columns: Column[] }>('GET', `${tablePath(docId, tableId)}/columns`, {
          query: { asOf },
          signal,
        })
      ).columns,
  })
