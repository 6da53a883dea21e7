import type { ReactNode } from 'react'
import { Navigate, useOutletContext, useParams } from 'react-router'
import { Empty } from '../components/states'
import { DocumentGrid } from './document-grid'
import { canEdit, type DocumentOutlet } from './document-page'

/** Goes to the first table of the document. */
export function FirstTable(): ReactNode {
  const { docId, tables } = useOutletContext<DocumentOutlet>()
  const first = tables[0]
  if (first)
    return <Navigate to={`/docs/${docId}/tables/${encodeURIComponent(first.id)}`} replace />
  return <Empty title="This document has no tables" />
}

/** One table of the document. */
export function TableView(): ReactNode {
  const { docId, document } = useOutletContext<DocumentOutlet>()
  const { tableId = '' } = useParams()
  return (
    <DocumentGrid
      key={`${docId}/${tableId}`}
      docId={docId}
      tableId={tableId}
      canEdit={canEdit(document)}
    />
  )
}
