import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { Navigate, useLocation, useParams, useSearchParams } from 'react-router'
import { type Table, tablesQuery } from '../api/resources'
import { lazyComponent } from '../components/lazy-component'
import { Empty, Loading } from '../components/states'
import { canEdit, tableUrl, useDocumentContext } from '../document-context/document-context'
import { KeptEdits } from '../document-context/kept-edits'
import { usePlace } from '../presence/presence-provider'
import { DocumentGrid } from './document-grid'

const RestoreRowsButton = lazyComponent(
  async () => (await import('../past/restore-rows-button')).RestoreRowsButton,
)

/** Redirects to the table whose ref is in the URL, or to the first table of the document. */
export function FirstTable(): ReactNode {
  const { docId, document, tables, asOf } = useDocumentContext()
  const [query] = useSearchParams()
  const ref = Number(query.get('table'))
  const first = tables.find(({ fields }) => fields.tableRef === ref) ?? tables[0]
  if (first) return <Navigate to={tableUrl(docId, first.id, asOf)} replace />
  if (asOf !== undefined) return <Empty title="This document had no tables at this moment" />
  return (
    <Empty title="This document has no tables">
      <p>
        {canEdit(document)
          ? 'Select “Add table” to create one.'
          : 'Tables appear here when an editor adds them.'}
      </p>
    </Empty>
  )
}

/** One table of the document. */
export function TableView(): ReactNode {
  const { docId, tables, busyTable, asOf } = useDocumentContext()
  const { tableId = '' } = useParams()
  const table = tables.find(({ id }) => id === tableId)
  const renamed = useRenamed(docId, tables, tableId)
  const { search } = useLocation()
  const { enter, move } = usePlace()
  useEffect(() => {
    enter(tableId)
    return () => move({})
  }, [enter, move, tableId])
  if (busyTable === tableId) return <Loading what="the table" />
  const { tableRef } = (renamed ?? table)?.fields ?? {}
  return (
    <KeptEdits key={`${docId}/${tableRef}`} isRenaming={renamed !== undefined}>
      {renamed ? (
        <Navigate to={tableUrl(docId, renamed.id) + search} replace />
      ) : (
        <OpenedTable key={`${docId}/${tableId}/${asOf}`} tableId={tableId} table={table} />
      )}
    </KeptEdits>
  )
}

interface OpenedTableProps {
  readonly tableId: string
  /** Undefined if there is none with this id. */
  readonly table: Table | undefined
}

function OpenedTable({ tableId, table }: OpenedTableProps): ReactNode {
  const { docId, document, asOf } = useDocumentContext()
  const isPresent = useIsPresent(docId, table)
  if (asOf !== undefined && !table)
    return (
      <Empty title={`There was no table ${tableId} at this moment`}>
        <p>Select another table, or another moment.</p>
      </Empty>
    )
  const isEditor = canEdit(document)
  const canRestore = isEditor && table && asOf !== undefined && isPresent
  return (
    <DocumentGrid
      docId={docId}
      tableId={tableId}
      canEdit={isEditor && asOf === undefined}
      asOf={asOf}
      rowActions={
        canRestore
          ? (rowIds) => (
              <RestoreRowsButton docId={docId} seq={Number(asOf)} table={table} rowIds={rowIds} />
            )
          : undefined
      }
    />
  )
}

/** Returns the table that was shown under an id which it no longer has, since someone else has renamed it. */
function useRenamed(docId: string, tables: readonly Table[], tableId: string): Table | undefined {
  const place = `${docId}/${tableId}`
  const ref = tables.find(({ id }) => id === tableId)?.fields.tableRef
  const [seen, setSeen] = useState<{ readonly place: string; readonly ref: number }>()
  if (ref !== undefined && !(seen?.place === place && seen.ref === ref)) setSeen({ place, ref })
  if (ref !== undefined || seen?.place !== place) return undefined
  return tables.find(({ fields }) => fields.tableRef === seen.ref)
}

/** True if a table, which may be one of a former moment, exists now. */
function useIsPresent(docId: string, table: Table | undefined): boolean {
  const { data: tables = [] } = useQuery(tablesQuery(docId))
  return tables.some(({ fields }) => fields.tableRef === table?.fields.tableRef)
}
