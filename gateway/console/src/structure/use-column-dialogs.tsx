import { useCallback, useState, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { MenuItem } from '../components/menu'
import { ColumnDialog } from './column-dialog'
import { RemoveColumnDialog } from './remove-column-dialog'

interface ColumnDialogs {
  /** Asks for a column to add. */
  readonly add: () => void
  /** What can be done with a column itself. */
  readonly items: (column: Column) => MenuItem[]
  /** The dialog that is open. */
  readonly dialog: ReactNode
}

type Doing =
  { readonly what: 'change' | 'remove'; readonly column: Column } | { readonly what: 'add' }

/** The dialogs that add, change and delete columns of a table. */
export function useColumnDialogs(docId: string, tableId: string): ColumnDialogs {
  const [doing, setDoing] = useState<Doing>()
  const close = useCallback(() => setDoing(undefined), [])
  const place = { docId, tableId, onClose: close }
  const dialogs = {
    add: () => <ColumnDialog {...place} />,
    change: (column?: Column) => <ColumnDialog {...place} column={column} />,
    remove: (column?: Column) => column && <RemoveColumnDialog {...place} column={column} />,
  }
  return {
    add: () => setDoing({ what: 'add' }),
    items: (column) => [
      { label: 'Change column…', onSelect: () => setDoing({ what: 'change', column }) },
      {
        label: 'Delete column…',
        isDanger: true,
        onSelect: () => setDoing({ what: 'remove', column }),
      },
    ],
    dialog: doing && dialogs[doing.what]('column' in doing ? doing.column : undefined),
  }
}
