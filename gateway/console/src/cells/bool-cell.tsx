import type { ICellRendererParams, SuppressKeyboardEventParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Row } from '../api/resources'
import { columnName } from '../formats/column'
import { formatValue } from '../formats/value'
import { defineCellType, isEditable, type CellType } from './editing/cell-type'
import { TextEditor, type TextRules } from './editing/text-editor'
import { leaveByTab } from './editing/type-ahead'

interface CheckParams {
  readonly label: string
  readonly canEdit: boolean
}

/** Booleans as checkboxes, toggled by a click, Space or Enter. Values that are text are edited as text. */
export const boolCell: CellType = defineCellType({
  align: 'center',
  isValid: (value) => typeof value === 'boolean',
  column: (column, context) => {
    const canEdit = isEditable(column, context)
    const label = columnName(column)
    return {
      editable: ({ data }) => canEdit && typeof data?.fields[column.id] === 'string',
      cellRenderer: CheckCell,
      cellRendererParams: { label, canEdit } satisfies CheckParams,
      suppressKeyboardEvent: (params) => (canEdit && toggleByKey(params)) || leaveByTab(params),
      cellEditor: TextEditor,
      cellEditorParams: {
        label,
        toText: formatValue,
        fromText: (text) => text,
      } satisfies TextRules,
    }
  },
})

/** Toggles the checkbox with the keyboard. Returns true for keys that the grid must not handle. */
function toggleByKey({ event, editing, node, column }: SuppressKeyboardEventParams<Row>): boolean {
  const value = node.data?.fields[column.getColId()]
  if (editing || event.ctrlKey || event.altKey || event.metaKey) return false
  if (typeof value === 'string' || ![' ', 'Enter'].includes(event.key)) return false
  event.preventDefault()
  if (event.type === 'keydown' && !event.repeat && node.data)
    node.setDataValue(column, value !== true)
  return true
}

function CheckCell(props: ICellRendererParams<Row, unknown> & CheckParams): ReactNode {
  const { value, data, node, column, label, canEdit } = props
  if (!data) return null
  if (typeof value === 'string') return value
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={label}
      checked={value === true}
      disabled={!canEdit}
      onChange={() => column && node.setDataValue(column, value !== true)}
    />
  )
}
