import { useCallback, useState, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import type { MenuItem } from '../components/menu-items'
import { ColumnDialog } from './column-dialog'
import { FormulaDialog } from './formula-dialog'
import { RemoveColumnDialog } from './remove-column-dialog'

interface ColumnDialogs {
  /** Opens the dialog to add a column. */
  readonly add: () => void
  /** Menu items of a column. */
  readonly items: (column: Column) => MenuItem[]
  /** Opens the formula of a column, for editing if the user can edit it. */
  readonly openFormula: (column: Column) => void
  /** The open dialog, if any. */
  readonly dialog: ReactNode
}

type OpenDialog =
  | { readonly what: 'edit' | 'formula' | 'show' | 'remove'; readonly column: Column }
  | { readonly what: 'add' }

/** The dialogs that add, edit and delete columns of a table. */
export function useColumnDialogs(
  { docId, tableId, canEdit }: CellContext,
  rowIds: () => readonly number[],
): ColumnDialogs {
  const [open, setOpen] = useState<OpenDialog>()
  const close = useCallback(() => setOpen(undefined), [])
  const common = { docId, tableId, onClose: close }
  const dialogs = {
    add: () => <ColumnDialog {...common} rowIds={rowIds} />,
    edit: (column?: Column) => <ColumnDialog {...common} rowIds={rowIds} column={column} />,
    formula: (column?: Column) => (
      <ColumnDialog {...common} rowIds={rowIds} column={column} startsWithFormula />
    ),
    show: (column?: Column) => column && <FormulaDialog {...common} column={column} />,
    remove: (column?: Column) => column && <RemoveColumnDialog {...common} column={column} />,
  }
  const show = (what: 'edit' | 'formula' | 'show' | 'remove') => (column: Column) =>
    setOpen({ what, column })
  const openFormula = show(canEdit ? 'formula' : 'show')
  const formulaItems = (column: Column): MenuItem[] =>
    column.fields.formula === ''
      ? []
      : [
          {
            label: canEdit ? 'Edit formula…' : 'Show formula…',
            onSelect: () => openFormula(column),
          },
        ]
  const structureItems = (column: Column): MenuItem[] => [
    { label: 'Edit column…', onSelect: () => show('edit')(column) },
    { label: 'Delete column…', isDanger: true, onSelect: () => show('remove')(column) },
  ]
  return {
    add: () => setOpen({ what: 'add' }),
    openFormula,
    items: (column) => [...formulaItems(column), ...(canEdit ? structureItems(column) : [])],
    dialog: open && dialogs[open.what]('column' in open ? open.column : undefined),
  }
}
