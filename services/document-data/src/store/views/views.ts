import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { DocumentReader, DocumentWriter } from '../document'
import { nextRef } from '../schema/refs'
import type { Schema, Table } from '../schema/schema'
import { readColumns, readFilter, readSort, readSummaries } from './view-columns'
import { readForm } from './view-form'
import {
  eraseViews,
  findSameName,
  insertViews,
  readTableViews,
  recordViews,
  replaceViews,
  type ViewRow,
} from './view-rows'
import { badField, changeView, newView, type ViewChange, type ViewFields } from './view-settings'

/** Most views of a table. */
export const MAX_VIEWS = 100

/** A view of a table. */
export interface View {
  readonly id: number
  readonly fields: ViewFields
}

/** The views of a table by position. Throws `not_found` for the table. */
export function listViews({ schema, connection }: DocumentReader, tableId: string): View[] {
  const table = schema.get(tableId)
  if (!schema.hasViews) return []
  return readTableViews(connection, table.ref).map((row) => toView(table, row))
}

function toView(table: Table, row: ViewRow): View {
  const { id, name, type, position, description, frozenColumns, rowHeight } = row
  return {
    id,
    fields: {
      name,
      type,
      position,
      description,
      filter: readFilter(table, row.filter),
      sort: readSort(table, row.sort),
      columns: readColumns(table, row.columns),
      frozenColumns,
      rowHeight,
      wrapText: row.wrapText !== 0,
      groupBy: readSort(table, row.groupBy),
      summaries: readSummaries(table, row.summaries),
      form: readForm(table, row.form),
    },
  }
}

/**
 * Adds views to a table and returns their ids. Throws `not_found` for the table, `invalid` for a field, `conflict` for a name
 * in use, and `unavailable` while the document has a format without views.
 */
export function addViews(
  doc: DocumentWriter,
  tableId: string,
  wished: readonly ViewChange[],
): number[] {
  const table = writableTable(doc, tableId)
  const { connection } = doc
  const present = readTableViews(connection, table.ref)
  if (present.length + wished.length > MAX_VIEWS)
    throw new AppError(
      'invalid',
      'TOO_MANY_VIEWS',
      `a table must not have more than ${MAX_VIEWS} views`,
    )
  const first = nextRef(connection, 'view')
  let position = Math.floor(present.at(-1)?.position ?? 0)
  const added = wished.map((change, index): ViewRow => {
    const defaults = { ...newView, id: first + index, tableRef: table.ref, position: ++position }
    if (change.name === undefined) throw badField('name', 'is missing')
    return changeView(table, defaults, change)
  })
  requireNames([...present, ...added])
  insertViews(connection, added)
  recordViews(doc, [], added)
  return added.map(({ id }) => id)
}

/** Changes views of a table. Throws `not_found` for the table or a view, and else as `addViews`. */
export function updateViews(
  doc: DocumentWriter,
  tableId: string,
  updates: readonly { readonly id: number; readonly change: ViewChange }[],
): void {
  const table = writableTable(doc, tableId)
  const { connection } = doc
  const present = readTableViews(connection, table.ref)
  const after = new Map(present.map((row) => [row.id, row]))
  for (const { id, change } of updates) {
    const row = after.get(id)
    if (!row) throw viewNotFound(table, id)
    after.set(id, changeView(table, row, change))
  }
  requireNames([...after.values()])
  const before = present.filter((row) => after.get(row.id) !== row)
  const changed = before.map((row) => after.get(row.id) ?? row)
  replaceViews(connection, changed)
  recordViews(doc, before, changed)
}

/** Removes a view. Throws `not_found` for the table or the view. */
export function removeView(doc: DocumentWriter, tableId: string, id: number): void {
  const table = doc.schema.getWritable(tableId)
  const { connection, schema } = doc
  const row = schema.hasViews
    ? readTableViews(connection, table.ref).find((view) => view.id === id)
    : undefined
  if (!row) throw viewNotFound(table, id)
  eraseViews(connection, [id])
  recordViews(doc, [row], [])
}

function writableTable({ schema }: { readonly schema: Schema }, tableId: string): Table {
  const table = schema.getWritable(tableId)
  if (schema.hasViews) return table
  throw new AppError(
    'unavailable',
    'DOCUMENT_FORMAT_OLD',
    'the document cannot have views until it is opened after all instances were upgraded',
  )
}

function viewNotFound({ tableId }: Table, id: number): AppError {
  const message = `View not found: table "${shorten(tableId)}" has no view ${id}`
  return new AppError('not_found', 'VIEW_NOT_FOUND', message)
}

function requireNames(views: readonly ViewRow[]): void {
  const same = findSameName(views)
  if (same)
    throw new AppError(
      'conflict',
      'VIEW_NAME_TAKEN',
      `name "${shorten(same.name)}" is that of another view of the table`,
    )
}
