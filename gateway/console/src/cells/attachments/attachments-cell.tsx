import { useQueries } from '@tanstack/react-query'
import type { ICellRendererParams, SuppressKeyboardEventParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Column, Row } from '../../api/resources'
import { columnName } from '../../formats/column'
import {
  defineCellType,
  isEditable,
  popup,
  type CellContext,
  type CellType,
} from '../editing/cell-type'
import { rowIds, formatValue } from '../../formats/value'
import { bufferKeys, leaveByTab } from '../editing/type-ahead'
import { FilesEditor, type FilesRules } from './files-editor'
import { fileNameQuery, filePath } from './file-queries'

/** Number of file names shown per cell, followed by the count of the others. */
const MAX_SHOWN = 3

/** Attachments of the document. */
export const attachmentsCell: CellType = defineCellType({
  isValid: (value) => rowIds(value) !== undefined,
  column: (column, context) => {
    const { docId, asOf } = context
    const rules: FilesRules = { label: columnName(column), docId, asOf }
    const canEdit = isEditable(column, context)
    return {
      cellRenderer: FilesCell,
      cellRendererParams: rules,
      cellEditor: FilesEditor,
      ...popup('under'),
      cellEditorParams: rules,
      // Links in cells are not reachable with Tab. Enter opens the editor or, for viewers, the first file.
      suppressKeyboardEvent: (params) =>
        canEdit ? bufferKeys(params) || leaveByTab(params) : openFile(params, column, context),
    }
  },
})

function openFile(
  { event, data }: SuppressKeyboardEventParams<Row>,
  { id }: Column,
  { docId, asOf }: CellContext,
): boolean {
  const [first] = rowIds(data?.fields[id]) ?? []
  if (event.key !== 'Enter' || first === undefined) return false
  if (event.type === 'keydown') window.location.assign(filePath(docId, first, asOf))
  return true
}

function FilesCell(props: ICellRendererParams<Row, unknown> & FilesRules): ReactNode {
  const { value, docId, asOf } = props
  const ids = rowIds(value)
  const shown = (ids ?? []).slice(0, MAX_SHOWN)
  const names = useQueries({ queries: shown.map((id) => fileNameQuery(docId, id, asOf)) })
  if (!ids) return formatValue(value)
  return (
    <span className="cell-chips">
      {shown.map((id, index) => (
        <a key={`${index}-${id}`} href={filePath(docId, id, asOf)} download tabIndex={-1}>
          {names[index]?.data || `File ${id}`}
        </a>
      ))}
      {ids.length > shown.length && <span className="note">+{ids.length - shown.length}</span>}
    </span>
  )
}
