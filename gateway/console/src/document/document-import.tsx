import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useQueryClient } from '@tanstack/react-query'
import type { Table } from '../api/resources'
import { useToaster } from '../components/toast'
import { tableUrl } from '../document-context/document-context'
import { DropArea } from '../import/file-drop'
import { TableImportDialog, type ImportedTables } from '../import/table-import-dialog'
import { useAnnounceChange } from '../undo/undo-provider'

interface DocumentImportProps {
  readonly docId: string
  readonly tables: readonly Table[]
  /** True while the dialog that asks for a file is open. */
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Imports files into the document that is open: chosen in a dialog, or dropped anywhere on the page. */
export function DocumentImport(props: DocumentImportProps): ReactNode {
  const { docId, tables, isOpen, onClose } = props
  const navigate = useNavigate()
  const client = useQueryClient()
  const toaster = useToaster()
  const announce = useAnnounceChange()
  const finish = ({ tables: made, seq, notes }: ImportedTables) => {
    const rows = made.reduce((sum, table) => sum + table.rows, 0)
    announce(
      `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'} imported`,
      Promise.resolve(seq),
    )
    if (notes.length > 0) toaster.show(`Not imported as it was: ${notes.join('; ')}`)
    void client.invalidateQueries({ queryKey: ['document', docId] })
    const [first] = made
    if (first) void navigate(tableUrl(docId, first.id))
  }
  return (
    <>
      {isOpen && (
        <TableImportDialog docId={docId} tables={tables} onClose={onClose} onImported={finish} />
      )}
      <DropArea hint="Drop the file to import it into this document.">
        {(file, close) => (
          <TableImportDialog
            docId={docId}
            tables={tables}
            file={file}
            onClose={close}
            onImported={finish}
          />
        )}
      </DropArea>
    </>
  )
}
