import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { Dialog } from '../../components/overlays/dialog'
import { columnName, isComputed } from '../../formats/column'
import { FormulaText } from '../../formulas/formula-field'

/** Shows the formula of a column to users who cannot edit it. */
export function FormulaDialog(props: {
  readonly docId: string
  readonly tableId: string
  readonly column: Column
  readonly onClose: () => void
}): ReactNode {
  const { docId, tableId, column, onClose } = props
  return (
    <Dialog title={`Formula of “${columnName(column)}”`} onClose={onClose} isWide>
      <FormulaText
        docId={docId}
        tableId={tableId}
        label="Formula"
        formula={column.fields.formula}
        isReadOnly
        isFocused
      />
      <p className="note">
        {isComputed(column)
          ? 'The cells of this column are computed. Editors can change the formula.'
          : 'This trigger formula fills in cells of new rows. Editors can change it.'}
      </p>
    </Dialog>
  )
}
