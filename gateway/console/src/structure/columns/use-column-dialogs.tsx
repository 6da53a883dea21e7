import { useCallback, useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import type { MenuItem } from '../../components/overlays/menu-items'
import { FormulaDialog } from './formula-dialog'
import { RemoveColumnDialog } from './remove-column-dialog'
import { useColumnPanel } from './use-column-panel'

interface ColumnDialogs {
  /** Opens the panel to add a column. */
  readonly add: () => void
  /** Menu items of a column. */
  readonly items: (column: Column) => MenuItem[]
  /** Opens the formula of a column, for editing if the user can edit it. */
  readonly openFormula: (column: Column) => void
  /** The open dialog, if any. */
  readonly dialog: ReactNode
  /** The open panel, if any. */
  readonly panel: ReactNode
  /** Closes the panel, after a question if there are edits. The same function each time. */
  readonly leave: () => void
}

interface OpenDialog {
  readonly what: 'formula' | 'remove'
  readonly column: Column
}

/** The panel that adds and edits columns of a table, and the dialogs of its columns. */
export function useColumnDialogs(
  context: CellContext,
  rowIds: () => readonly number[],
): ColumnDialogs {
  const { docId, tableId, canEdit } = context
  const [open, setOpen] = useState<OpenDialog>()
  const close = useCallback(() => setOpen(undefined), [])
  const editing = useColumnPanel(context, rowIds)
  const common = { docId, tableId, onClose: close }
  const openFormula = (column: Column) =>
    canEdit
      ? editing.open({ column, startsWithFormula: true })
      : setOpen({ what: 'formula', column })
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
    { label: 'Edit column…', onSelect: () => editing.open({ column }) },
    {
      label: 'Delete column…',
      isDanger: true,
      onSelect: () => setOpen({ what: 'remove', column }),
    },
  ]
  return {
    add: () => editing.open({}),
    openFormula,
    items: (column) => [...formulaItems(column), ...(canEdit ? structureItems(column) : [])],
    dialog: (
      <>
        {open?.what === 'formula' && <FormulaDialog {...common} column={open.column} />}
        {open?.what === 'remove' && <RemoveColumnDialog {...common} column={open.column} />}
        {editing.question}
      </>
    ),
    panel: editing.panel,
    leave: editing.leave,
  }
}
