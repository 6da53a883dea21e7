import type { ReactNode } from 'react'
import { Navigate, useParams } from 'react-router'
import { Empty, Loading } from '../components/states'
import { canEdit, useDocumentContext } from '../document-context/document-context'
import { DocumentGrid } from './document-grid'

/** Redirects to the first table of the document. */
export function FirstTable(): ReactNode {
  const { docId, document, tables } = useDocumentContext()
  const first = tables[0]
  if (first)
    return <Navigate to={`/docs/${docId}/tables/${encodeURIComponent(first.id)}`} replace />
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
  const { docId, document, busyTable } = useDocumentContext()
  const { tableId = '' } = useParams()
  if (busyTable === tableId) return <Loading what="the table" />
  return (
    <DocumentGrid
      key={`${docId}/${tableId}`}
      docId={docId}
      tableId={tableId}
      canEdit={canEdit(document)}
    />
  )
}
