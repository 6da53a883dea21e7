import { useCallback, useState, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { MenuItem } from '../components/menu'
import { ColumnDialog } from './column-dialog'
import { RemoveColumnDialog } from './remove-column-dialog'

interface ColumnDialogs {
  /** Opens the dialog to add a column. */
  readonly add: () => void
  /** Menu items of a column. */
  readonly items: (column: Column) => MenuItem[]
  /** The open dialog, if any. */
  readonly dialog: ReactNode
}

type OpenDialog =
  { readonly what: 'edit' | 'remove'; readonly column: Column } | { readonly what: 'add' }

/** The dialogs that add, edit and delete columns of a table. */
export function useColumnDialogs(docId: string, tableId: string): ColumnDialogs {
  const [open, setOpen] = useState<OpenDialog>()
  const close = useCallback(() => setOpen(undefined), [])
  const common = { docId, tableId, onClose: close }
  const dialogs = {
    add: () => <ColumnDialog {...common} />,
    edit: (column?: Column) => <ColumnDialog {...common} column={column} />,
    remove: (column?: Column) => column && <RemoveColumnDialog {...common} column={column} />,
  }
  return {
    add: () => setOpen({ what: 'add' }),
    items: (column) => [
      { label: 'Edit column…', onSelect: () => setOpen({ what: 'edit', column }) },
      {
        label: 'Delete column…',
        isDanger: true,
        onSelect: () => setOpen({ what: 'remove', column }),
      },
    ],
    dialog: open && dialogs[open.what]('column' in open ? open.column : undefined),
  }
}
