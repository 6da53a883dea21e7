import { useQueries } from '@tanstack/react-query'
import type { ICellRendererParams, SuppressKeyboardEventParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Column, Row } from '../../api/resources'
import { columnName } from '../../formats/column'
import { defineCellType, isEditable, popup, type CellType } from '../base/cell-type'
import { FilesEditor, type FilesRules } from './files-editor'
import { fileNameQuery, filePath } from './file-queries'
import { rowIds, formatValue } from '../../formats/value'
import { keepTyped, leaveByTab } from '../base/type-ahead'

/** So many files of one cell are named; of the others there is the number. */
const MAX_SHOWN = 3

/** Files of the document. */
export const attachmentsCell: CellType = defineCellType({
  isValid: (value) => rowIds(value) !== undefined,
  column: (column, context) => {
    const rules: FilesRules = { label: columnName(column), docId: context.docId }
    const canEdit = isEditable(column, context)
    return {
      cellRenderer: FilesCell,
      cellRendererParams: rules,
      cellEditor: FilesEditor,
      ...popup('under'),
      cellEditorParams: rules,
      // The links of a cell are not on the way of Tab: editors reach them in the editor, others so.
      suppressKeyboardEvent: (params) =>
        canEdit
          ? keepTyped(params) || leaveByTab(params)
          : opensFile(params, column, context.docId),
    }
  },
})

function opensFile(
  { event, data }: SuppressKeyboardEventParams<Row>,
  { id }: Column,
  docId: string,
): boolean {
  const [first] = rowIds(data?.fields[id]) ?? []
  if (event.key !== 'Enter' || first === undefined) return false
  if (event.type === 'keydown') window.location.assign(filePath(docId, first))
  return true
}

function FilesCell({ value, docId }: ICellRendererParams<Row, unknown> & FilesRules): ReactNode {
  const ids = rowIds(value)
  const shown = (ids ?? []).slice(0, MAX_SHOWN)
  const names = useQueries({ queries: shown.map((id) => fileNameQuery(docId, id)) })
  if (!ids) return formatValue(value)
  return (
    <span className="cell-chips">
      {shown.map((id, index) => (
        <a key={`${index}-${id}`} href={filePath(docId, id)} download tabIndex={-1}>
          {names[index]?.data || `File ${id}`}
        </a>
      ))}
      {ids.length > shown.length && <span className="note">+{ids.length - shown.length}</span>}
    </span>
  )
}
