import type { Column as FullColumn, DocumentDescription, Org, View, Workspace } from '@sheaf/client'
import { queryOptions } from '@tanstack/react-query'
import { docPath } from './paths'
import { docOf, sheaf } from './sheaf'

type ColumnFields = Pick<
  FullColumn['fields'],
  | 'colRef'
  | 'label'
  | 'description'
  | 'type'
  | 'isFormula'
  | 'formula'
  | 'recalcWhen'
  | 'widgetOptions'
  | 'visibleCol'
  | 'untieColIdFromLabel'
>

/** A column of a table. */
export interface Column {
  readonly id: string
  readonly fields: ColumnFields & {
    /** Refs of columns, as a list cell. */
    readonly recalcDeps?: unknown
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

/** The sites that the user has access to. */
export const orgsQuery = queryOptions({
  queryKey: ['orgs'],
  queryFn: ({ signal }) => sheaf().request<Org[]>({ method: 'GET', path: '/api/orgs' }, { signal }),
})

/** One site. */
export const orgQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['orgs', orgId],
    queryFn: ({ signal }) => {
      const path = `/api/orgs/${encodeURIComponent(orgId)}`
      return sheaf().request<Org>({ method: 'GET', path }, { signal })
    },
  })

/** The workspaces of a site with their documents, or those of them in the trash. */
export const workspacesQuery = (orgId: string, inTrash = false) =>
  queryOptions({
    queryKey: ['workspaces', orgId, inTrash],
    queryFn: ({ signal }) => {
      const path = `/api/orgs/${encodeURIComponent(orgId)}/workspaces`
      const query = { showRemoved: inTrash ? 1 : undefined }
      return sheaf().request<Workspace[]>({ method: 'GET', path, query }, { signal })
    },
  })

/** One document, with the user's preferences in it. */
export const documentQuery = (docId: string) =>
  queryOptions({
    queryKey: ['document', docId],
    queryFn: ({ signal }) => {
      const query = { expand: 'preferences' }
      const call = { method: 'GET', path: docPath(docId), query } as const
      return sheaf().request<DocumentDescription>(call, { signal })
    },
  })

/** The position of the latest change of a document. */
export const positionQuery = (docId: string) =>
  queryOptions({
    queryKey: ['document', docId, 'position'],
    queryFn: ({ signal }) => docOf(docId).position({ signal }),
  })

/** The tables of a document, now or as of a change. */
export const tablesQuery = (docId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['document', docId, 'tables', { asOf }],
    queryFn: ({ signal }): Promise<readonly Table[]> => docOf(docId).tables({ asOf, signal }),
  })

/** The columns of a table, without hidden ones, now or as of a change. */
export const columnsQuery = (docId: string, tableId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['document', docId, 'columns', tableId, { asOf }],
    queryFn: ({ signal }): Promise<readonly Column[]> =>
      docOf(docId).table(tableId).columns.list({ asOf, signal }),
  })

/** A column whose values label the rows of a table, now or as of a change. */
export interface LabelColumn {
  readonly docId: string | undefined
  readonly tableId: string | undefined
  readonly columnId: string | undefined
  readonly asOf: string | undefined
}

/** The key of the query of the label of a row. */
export const labelKey = ({ docId, tableId, columnId, asOf }: LabelColumn, rowId: number) =>
  ['document', docId, 'label', tableId, columnId, rowId, { asOf }] as const

/** The table whose rows are the views of a document, in changes and at former moments. */
export const VIEWS_TABLE = '_sheaf_views'

/** The key of the views of all tables of a document, now and at former moments. */
export const viewsKey = (docId: string) => ['document', docId, 'views'] as const

/** The views of a table by position, now or as of a change. */
export const viewsQuery = (docId: string, tableId: string, asOf?: string) =>
  queryOptions({
    queryKey: [...viewsKey(docId), tableId, { asOf }],
    queryFn: ({ signal }): Promise<readonly View[]> =>
      docOf(docId).table(tableId).views.list({ asOf, signal }),
  })
