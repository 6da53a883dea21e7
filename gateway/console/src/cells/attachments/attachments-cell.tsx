import { useQueries } from '@tanstack/react-query'
import type { ICellRendererParams, SuppressKeyboardEventParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { Row } from '../../api/row'
import { columnName, defineKind, isEditable, popup, type CellKind } from '../base/cell-type'
import { FilesEditor, type FilesRules } from './files-editor'
import { filePath, fileQuery } from '../reference/label-queries'
import { rowIds, showValue } from '../../formats/value'
import { keepTyped, leaveByTab } from '../base/type-ahead'

/** So many files of one cell are named; of the others there is the number. */
const MOST_SHOWN = 3

/** Files of the document. */
export const attachmentsKind: CellKind = defineKind({
  fits: (value) => rowIds(value) !== undefined,
  own: (column, place) => {
    const rules: FilesRules = { label: columnName(column), docId: place.docId }
    const canEdit = isEditable(column, place)
    return {
      cellRenderer: FilesCell,
      cellRendererParams: rules,
      cellEditor: FilesEditor,
      ...popup('under'),
      cellEditorParams: rules,
      // The links of a cell are not on the way of Tab: editors reach them in the editor, others so.
      suppressKeyboardEvent: (params) =>
        canEdit ? keepTyped(params) || leaveByTab(params) : opensFile(params, column, place.docId),
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
  const shown = (ids ?? []).slice(0, MOST_SHOWN)
  const names = useQueries({ queries: shown.map((id) => fileQuery(docId, id)) })
  if (!ids) return showValue(value)
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
