import type { DocumentWriter } from '../document'
import type { ColumnValues, LogValue, RowOperation } from '../log/log'
import { findMetadataColumns, VIEWS, VIEWS_REF } from '../schema/metadata-tables'
import { retireRef } from '../schema/refs'
import type { Connection } from '../sqlite/connections'

/*
 * Views as they are stored and logged: rows of a metadata table. What is here records nothing, except for the functions
 * whose names say so.
 */

/** A view as it is stored. See the migration for its texts. */
export interface ViewRow {
  readonly id: number
  readonly tableRef: number
  readonly position: number
  readonly name: string
  readonly type: string
  readonly description: string
  readonly filter: string
  readonly sort: string
  readonly columns: string
  readonly frozenColumns: number
  readonly rowHeight: string
  /** 0 or 1. */
  readonly wrapText: number
  readonly groupBy: string
  readonly summaries: string
  readonly form: string
}

type Field = Exclude<keyof ViewRow, 'id'>

const columns = findMetadataColumns(VIEWS) ?? []
const FIELDS = columns.map(([id]) => id as Field)

/** Fields that views of format 14 do not have, in files and logs. */
const LATER_FIELDS = { groupBy: '', summaries: '', form: '' }

/** The fields that the file has: redo also writes files of format 14. */
function storedFields(connection: Connection): Field[] {
  const stored = connection.pluck<string>('SELECT name FROM pragma_table_info(?)').all(VIEWS)
  return FIELDS.filter((field) => stored.includes(field))
}

/** The views of a table by position. The document must have a table of views. */
export function readTableViews(connection: Connection, tableRef: number): ViewRow[] {
  const sql = `SELECT * FROM ${VIEWS} WHERE tableRef = ? ORDER BY position, id`
  return connection.prepare<ViewRow>(sql).all(tableRef)
}

/** The views with these ids that exist, by id. The document must have a table of views. */
export function readViews(connection: Connection, ids: readonly number[]): Map<number, ViewRow> {
  const sql = `SELECT * FROM ${VIEWS} WHERE id IN (SELECT value FROM json_each(?))`
  const rows = connection.prepare<ViewRow>(sql).all(JSON.stringify(ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Stores new views. */
export function insertViews(connection: Connection, views: readonly ViewRow[]): void {
  // The file may have a format without views.
  if (views.length === 0) return
  const fields = storedFields(connection)
  const insert = connection.prepare(
    `INSERT INTO ${VIEWS} (id, ${fields.join(', ')}) VALUES (?${', ?'.repeat(fields.length)})`,
  )
  for (const view of views) insert.run(view.id, ...fields.map((field) => view[field]))
}

/** Stores views in the place of those with the same ids. */
export function replaceViews(connection: Connection, views: readonly ViewRow[]): void {
  const fields = storedFields(connection)
  const names = fields.map((field) => `${field} = ?`).join(', ')
  const update = connection.prepare(`UPDATE ${VIEWS} SET ${names} WHERE id = ?`)
  for (const view of views) update.run(...fields.map((field) => view[field]), view.id)
}

/** Removes views; their ids are never used again. */
export function eraseViews(connection: Connection, ids: readonly number[]): void {
  if (ids.length === 0) return
  const remove = connection.prepare(`DELETE FROM ${VIEWS} WHERE id = ?`)
  for (const id of ids) {
    retireRef(connection, 'view', id)
    remove.run(id)
  }
}

/** Records that views were added, removed or changed: before and after, in the same order. */
export function recordViews(
  doc: DocumentWriter,
  before: readonly ViewRow[],
  after: readonly ViewRow[],
): void {
  const operation = describeChange(before, after)
  if (operation) doc.record(operation)
}

function describeChange(
  before: readonly ViewRow[],
  after: readonly ViewRow[],
): RowOperation | undefined {
  const rowIds = (after.length > 0 ? after : before).map(({ id }) => id)
  if (rowIds.length === 0) return undefined
  const head = { table: VIEWS, tableRef: VIEWS_REF, rowIds }
  if (before.length === 0)
    return { kind: 'add_rows', ...head, columns: valuesOf(FIELDS, { new: after }) }
  if (after.length === 0)
    return { kind: 'remove_rows', ...head, columns: valuesOf(FIELDS, { old: before }) }
  const changed = FIELDS.filter((field) =>
    before.some((row, i) => row[field] !== after[i]?.[field]),
  )
  if (changed.length === 0) return undefined
  return { kind: 'update_rows', ...head, columns: valuesOf(changed, { old: before, new: after }) }
}

function valuesOf(
  fields: readonly Field[],
  rows: { readonly old?: readonly ViewRow[]; readonly new?: readonly ViewRow[] },
): ColumnValues[] {
  return columns.flatMap(([id, type]) => {
    const field = fields.find((name) => name === id)
    if (!field) return []
    const cells = (views: readonly ViewRow[]): LogValue[] => views.map((view) => view[field])
    return [
      {
        id,
        ref: 0,
        type,
        ...(rows.old && { old: cells(rows.old) }),
        ...(rows.new && { new: cells(rows.new) }),
      },
    ]
  })
}

/** Whole views that an operation added (`new`) or removed (`old`). */
export function loggedViews(
  { rowIds, columns: values }: RowOperation,
  of: 'old' | 'new',
): ViewRow[] {
  return rowIds.map((id, index) => {
    const fields = values.map((column) => [column.id, column[of]?.[index] ?? null] as const)
    return { id, ...LATER_FIELDS, ...Object.fromEntries(fields) } as unknown as ViewRow
  })
}

/** Refs of the tables whose views an operation added, changed or removed. */
export function tablesOfViews(connection: Connection, operation: RowOperation): number[] {
  const { kind, rowIds } = operation
  const views =
    kind === 'update_rows'
      ? readViews(connection, rowIds).values()
      : loggedViews(operation, kind === 'add_rows' ? 'new' : 'old')
  return [...new Set([...views].map(({ tableRef }) => tableRef))]
}

/** A view with what an operation made of it (`new`), or with what it was before (`old`). */
export function withLogged(
  view: ViewRow,
  { rowIds, columns: values }: RowOperation,
  of: 'old' | 'new',
): ViewRow {
  const index = rowIds.indexOf(view.id)
  const fields = values.map((column) => [column.id, column[of]?.[index] ?? null] as const)
  return { ...view, ...Object.fromEntries(fields) }
}

/** True when all fields of two views are equal. */
export function isSameView(a: ViewRow, b: ViewRow): boolean {
  return a.id === b.id && FIELDS.every((field) => a[field] === b[field])
}

/** The first view whose name another view of its table has too. Upper and lower case count as equal. */
export function findSameName(views: readonly ViewRow[]): ViewRow | undefined {
  const names = new Set<string>()
  return views.find(({ name }) => {
    const key = name.toLowerCase()
    const isTaken = names.has(key)
    names.add(key)
    return isTaken
  })
}
