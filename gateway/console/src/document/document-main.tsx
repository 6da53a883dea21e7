import type { ReactNode } from 'react'
import { Outlet } from 'react-router'
import { lazyComponent } from '../components/lazy-component'
import { Loading } from '../components/states'
import { canEdit, OpenDocument, type DocumentContext } from '../document-context/document-context'
import { UndoProvider } from '../undo/undo-provider'
import { DocumentImport } from './document-import'

const PastPage = lazyComponent(
  async () => (await import('../past/past-page')).PastPage,
  <Loading what="the moment" />,
)

/** A document with its tables. */
export interface LoadedDocument extends DocumentContext {
  /** True while the tables of another moment are shown, until those of this one are loaded. */
  readonly isLoading: boolean
  /** Why the tables of a former moment cannot be shown. */
  readonly error: unknown
  readonly onRetry: () => void
}

interface DocumentMainProps extends LoadedDocument {
  /** True while the dialog that imports a file is open. */
  readonly isImporting: boolean
  /** Called when that dialog closes. */
  readonly onImported: () => void
}

/** The page of a document that the rest of the URL selects, at the present or as of a former moment. */
export function DocumentMain(props: DocumentMainProps): ReactNode {
  const { isLoading, error, onRetry, isImporting, onImported, ...outlet } = props
  const { docId, document, tables, asOf } = outlet
  const past = { docId, tables, isLoading, error, onRetry }
  return (
    <UndoProvider docId={docId} isPaused={asOf !== undefined}>
      <OpenDocument value={outlet}>
        {asOf !== undefined && (
          <PastPage {...past} asOf={asOf}>
            <Outlet />
          </PastPage>
        )}
        {canEdit(document) && asOf === undefined && (
          <DocumentImport docId={docId} tables={tables} isOpen={isImporting} onClose={onImported} />
        )}
        {asOf === undefined && (isLoading ? <Loading what="the document" /> : <Outlet />)}
      </OpenDocument>
    </UndoProvider>
  )
}
