import { AppError } from '@sheaf/kit/errors'
import { cutText } from '@sheaf/kit/truncate-text'
import type { DocumentWriter } from '../store/document'
import { VIEWS } from '../store/schema/metadata-tables'
import type { Table } from '../store/schema/schema'
import { readColumns, readFilter, readSort, readSummaries } from '../store/views/view-columns'
import { readForm } from '../store/views/view-form'
import { findSameName, insertViews, type ViewRow } from '../store/views/view-rows'
import { changeView, MAX_NAME, newView, type ViewChange } from '../store/views/view-settings'
import { MAX_VIEWS } from '../store/views/views'
import { requireRef, text } from './copy-metadata'
import type { DocumentFile } from './document-file'
import type { DocumentSize } from './document-size'

type Row = Readonly<Record<string, unknown>>

/**
 * Creates the views of another document, whose tables have been created with the same refs. What no view can have is left
 * out, and so are views of tables that do not exist. Throws `invalid` for an invalid ref.
 */
export function copyViews(source: DocumentFile, target: DocumentWriter, size: DocumentSize): void {
  if (!source.has(VIEWS)) return
  source.columnsOf(VIEWS)
  const rows = source.db.prepare<[number, number], Row>(
    `SELECT * FROM ${VIEWS} WHERE tableRef = ? ORDER BY position, id LIMIT ?`,
  )
  for (const table of target.schema.tables) {
    const views: ViewRow[] = []
    for (const row of rows.all(table.ref, MAX_VIEWS)) {
      size.addRow(Object.values(row))
      const view = copyView(table, row)
      const isTaken = findSameName([...views, view]) !== undefined
      views.push(isTaken ? { ...view, name: nameById(view) } : view)
    }
    insertViews(target.connection, views)
  }
}

function copyView(table: Table, row: Row): ViewRow {
  const id = requireRef(row.id, 'view')
  let view: ViewRow = { ...newView, id, tableRef: table.ref, position: id, name: `View ${id}` }
  const { name, type, description, position, frozenColumns, rowHeight } = row
  const [filter, sort, columns] = [text(row.filter), text(row.sort), text(row.columns)]
  const changes: readonly ViewChange[] = [
    { name: cutText(text(name), MAX_NAME) },
    { type: text(type) },
    { description: text(description) },
    { filter: Buffer.from(JSON.stringify(readFilter(table, filter))) },
    { sort: readSort(table, sort) },
    { columns: readColumns(table, columns) },
    { position: Number(position) },
    { frozenColumns: Number(frozenColumns) },
    { rowHeight: text(rowHeight) },
    { wrapText: row.wrapText === 1 },
    { groupBy: readSort(table, text(row.groupBy)) },
    { summaries: readSummaries(table, text(row.summaries)) },
    { form: Buffer.from(JSON.stringify(readForm(table, text(row.form)))) },
  ]
  for (const change of changes) view = soundChange(table, view, change)
  return view
}

/** The view as it is for a change that is not valid. */
function soundChange(table: Table, view: ViewRow, change: ViewChange): ViewRow {
  try {
    return changeView(table, view, change)
  } catch (error) {
    if (error instanceof AppError) return view
    throw error
  }
}

const nameById = ({ name, id }: ViewRow) => `${cutText(name, MAX_NAME - 20)} ${id}`
