import { useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useQueryClient } from '@tanstack/react-query'
import type { Table } from '../api/resources'
import { lazyComponent } from '../components/lazy-component'
import { leavePage } from '../components/use-leave-guard'
import { tableUrl } from '../document-context/document-context'
import { DropArea } from '../import/file-drop'
import type { ImportedTables } from '../import/table-import-dialog'
import { useAnnounceChange } from '../undo/undo-provider'

const TableImportDialog = lazyComponent(
  async () => (await import('../import/table-import-dialog')).TableImportDialog,
)
const ImportedDialog = lazyComponent(
  async () => (await import('../import/imported-dialog')).ImportedDialog,
)

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
  const [notes, setNotes] = useState<readonly string[]>([])
  const announce = useAnnounceChange()
  const finish = ({ tables: made, seq, notes: found }: ImportedTables) => {
    const rows = made.reduce((sum, table) => sum + table.rows, 0)
    announce(
      `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'} imported`,
      Promise.resolve(seq),
    )
    setNotes(found)
    void client.invalidateQueries({ queryKey: ['document', docId] })
    const [first] = made
    if (first) leavePage(() => void navigate(tableUrl(docId, first.id)))
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
      {notes.length > 0 && (
        <ImportedDialog title="The file is imported" notes={notes} onClose={() => setNotes([])} />
      )}
    </>
  )
}
