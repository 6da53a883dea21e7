import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { parseFilter, unknownColumn } from '../../query/filter'
import { parseSort } from '../../query/sort'
import type { DocumentReader, DocumentWriter } from '../document'
import { nextRef } from '../schema/refs'
import type { Schema, Table } from '../schema/schema'
import {
  readColumns,
  readFilter,
  readSort,
  storeColumns,
  storeFilter,
  storeSort,
  type FilterJson,
  type ViewColumn,
} from './view-columns'
import {
  eraseViews,
  findSameName,
  insertViews,
  readTableViews,
  recordViews,
  replaceViews,
  type ViewRow,
} from './view-rows'

/** Most views of a table. */
export const MAX_VIEWS = 100
/** Characters of a filter as JSON. */
const MAX_FILTER = 16_384
/** Most characters of a name. */
export const MAX_NAME = 100
const MAX_DESCRIPTION = 2_000
const MAX_FROZEN = 100
const WIDTH = { min: 20, max: 2_000 }
const ROW_HEIGHTS = ['short', 'medium', 'tall']

/** What a view shows. */
export interface ViewFields {
  readonly name: string
  readonly type: string
  readonly position: number
  readonly description: string
  readonly filter: FilterJson
  /** Sort keys in the form of the records API. */
  readonly sort: readonly string[]
  readonly columns: readonly ViewColumn[]
  readonly frozenColumns: number
  readonly rowHeight: string
  readonly wrapText: boolean
}

/** Fields of a view to set; absent ones keep their value or take the default. */
export type ViewChange = {
  readonly [key in keyof Omit<ViewFields, 'filter'>]?: ViewFields[key] | undefined
} & {
  /** JSON in the form of the records API. */
  readonly filter?: Uint8Array | undefined
}

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

/** What a new view has unless it is given. */
export const newView = {
  name: '',
  type: 'grid',
  description: '',
  filter: '',
  sort: '',
  columns: '',
  frozenColumns: 0,
  rowHeight: 'short',
  wrapText: 0,
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

/** A view with other fields. Throws `invalid` for a field. */
export function changeView(table: Table, row: ViewRow, change: ViewChange): ViewRow {
  const { name, type, position, description, filter, sort, columns } = change
  const { frozenColumns, rowHeight, wrapText } = change
  return {
    ...row,
    ...(name !== undefined && { name: checkName(name) }),
    ...(type !== undefined && { type: checkType(type) }),
    ...(position !== undefined && { position: checkPosition(position) }),
    ...(description !== undefined && { description: checkDescription(description) }),
    ...(filter !== undefined && { filter: checkFilter(table, filter) }),
    ...(sort !== undefined && { sort: storeSort(table, parseSort(sort, table)) }),
    ...(columns !== undefined && { columns: storeColumns(table, checkColumns(table, columns)) }),
    ...(frozenColumns !== undefined && { frozenColumns: checkFrozen(frozenColumns) }),
    ...(rowHeight !== undefined && { rowHeight: checkRowHeight(rowHeight) }),
    ...(wrapText !== undefined && { wrapText: Number(wrapText) }),
  }
}

function badField(field: string, fault: string): AppError {
  return new AppError('invalid', 'BAD_FIELD', `${field} of a view ${fault}`)
}

function checkName(name: string): string {
  if (name.trim() === '' || name.length > MAX_NAME)
    throw badField('name', `must have 1 to ${MAX_NAME} characters`)
  return name
}

function checkType(type: string): string {
  if (type !== 'grid') throw badField('type', 'must be "grid"')
  return type
}

function checkPosition(position: number): number {
  if (!Number.isFinite(position)) throw badField('position', 'must be a finite number')
  // The log has no negative zero.
  return position + 0
}

function checkDescription(description: string): string {
  if (description.length > MAX_DESCRIPTION)
    throw badField('description', `must not have more than ${MAX_DESCRIPTION} characters`)
  return description
}

function checkFilter(table: Table, json: Uint8Array): string {
  if (json.length > MAX_FILTER)
    throw badField('filter', `must not have more than ${MAX_FILTER} bytes as JSON`)
  if (parseFilter(json, table).size === 0) return ''
  return storeFilter(table, JSON.parse(Buffer.from(json).toString()) as FilterJson)
}

function checkColumns(table: Table, columns: readonly ViewColumn[]): readonly ViewColumn[] {
  const seen = new Set<string>()
  for (const { id, width } of columns) {
    if (table.byId.get(id)?.hidden ?? true) throw unknownColumn(id, table)
    if (seen.has(id)) throw badField('columns', `must not name column "${shorten(id)}" twice`)
    seen.add(id)
    if (width === undefined) continue
    if (!Number.isSafeInteger(width) || width < WIDTH.min || width > WIDTH.max)
      throw badField('columns', `must have widths from ${WIDTH.min} to ${WIDTH.max}`)
  }
  return columns
}

function checkFrozen(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0 || count > MAX_FROZEN)
    throw badField('frozenColumns', `must be a whole number from 0 to ${MAX_FROZEN}`)
  return count
}

function checkRowHeight(height: string): string {
  if (!ROW_HEIGHTS.includes(height))
    throw badField('rowHeight', `must be one of ${ROW_HEIGHTS.join(', ')}`)
  return height
}
