import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Table } from '../api/resources'
import { Button } from '../components/button'
import { tableRefUrl } from '../document-context/document-context'
import { changeQuery } from './past-queries'
import { RestoreDialog } from './restore-dialog'

interface RestoreRowsButtonProps {
  readonly docId: string
  /** The seq of the shown moment. */
  readonly seq: number
  /** The table at that moment. */
  readonly table: Table
  /** Ids of the selected rows. */
  readonly rowIds: readonly number[]
}

/** A button that restores the selected rows of a former moment; absent while none is selected. */
export function RestoreRowsButton({
  docId,
  seq,
  table,
  rowIds,
}: RestoreRowsButtonProps): ReactNode {
  const change = useQuery(changeQuery(docId, seq)).data ?? undefined
  const [isOpen, setOpen] = useState(false)
  const count = rowIds.length
  if (count === 0) return null
  return (
    <div className="row-buttons">
      <Button onClick={() => setOpen(true)}>
        Restore {count === 1 ? 'row' : `${count.toLocaleString()} rows`}
      </Button>
      {isOpen && (
        <RestoreDialog
          docId={docId}
          restored={{ seq, change, scope: { kind: 'rows', table, rowIds } }}
          returnsTo={tableRefUrl(docId, table.fields.tableRef)}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}
