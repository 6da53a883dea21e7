import { cutText } from '@sheaf/kit/truncate-text'
import { columnIdFor, tableIdFor } from '../identifiers'
import { quoteId } from '../quoting/quote'
import type { DocumentWriter } from '../store/document'
import { columnDefinition } from '../store/sqlite/column-definition'
import { MAX_COLUMNS } from '../store/structure/columns'
import { isComputed } from '../store/structure/column-cells'
import type { ColumnType } from '../values/column-type'
import { columnType } from '../values/column-types'
import { isTimeZone } from '../values/dates/time-zone'
import type { DocumentFile } from './document-file'
import type { DocumentSize } from './document-size'
import { badFile, requireCellSize, shown, tooMuch } from './import-errors'
import { importLimits } from './import-limits'

/** A column with the settings that determine how its values are stored. */
export interface StoredColumnForm {
  readonly id: string
  readonly type: ColumnType
}

/** A created table, still without rows. */
export interface CopiedTable {
  readonly ref: number
  readonly tableId: string
  readonly columns: readonly StoredColumnForm[]
}

type Row = Readonly<Record<string, unknown>>

/**
 * Creates the tables of another document, with the same refs, from its metadata. Throws `invalid` for
 * metadata that no document can have.
 */
export function copyMetadata(
  source: DocumentFile,
  target: DocumentWriter,
  size: DocumentSize,
): CopiedTable[] {
  copySettings(source, target)
  const columns = readColumns(source)
  for (const rows of columns.values()) for (const row of rows) size.addRow(Object.values(row))
  const taken = new Set<string>()
  const tables = readAll(source, '_grist_Tables', importLimits.tables)
  const made = tables.map((row) => {
    const ref = requireRef(row.id, 'table')
    const tableId = requireTableId(row.tableId, taken)
    taken.add(tableId.toLowerCase())
    insert(target, '_grist_Tables', tableFields(row, ref, tableId))
    const own = columns.get(ref) ?? []
    columns.delete(ref)
    return makeTable(target, { ref, tableId, rows: own })
  })
  if (columns.size > 0) throw badFile('the metadata has columns of a table that does not exist')
  copyRefs(source, target)
  target.schemaChanged()
  return made
}

/**
 * Copies the highest refs of removed tables, columns and views. Refs near the maximum are rejected, since they would
 * leave none for new ones.
 */
function copyRefs(source: DocumentFile, target: DocumentWriter): void {
  if (!source.has('_sheaf_refs')) return
  source.columnsOf('_sheaf_refs')
  const rows = source.db.prepare<[], Row>('SELECT kind, highest FROM _sheaf_refs LIMIT 4').all()
  for (const { kind, highest } of rows)
    if (kind === 'table' || kind === 'column' || kind === 'view')
      insert(target, '_sheaf_refs', { kind, highest: requireRef(highest, kind) })
}

function copySettings(source: DocumentFile, target: DocumentWriter): void {
  source.columnsOf('_grist_DocInfo')
  const row = source.db.prepare<[], Row>('SELECT * FROM _grist_DocInfo WHERE id = 1').get()
  updateSettings(target, text(row?.timezone), text(row?.documentSettings))
}

/** Stores time zone and locale of another document; UTC and en-US stand for unknown ones. */
export function updateSettings(
  target: DocumentWriter,
  timezone: string,
  documentSettings: string,
): void {
  const change = target.connection.prepare(
    'UPDATE _grist_DocInfo SET timezone = ?, documentSettings = ? WHERE id = 1',
  )
  const locale = localeOf(documentSettings)
  change.run(isTimeZone(timezone) ? timezone : 'UTC', JSON.stringify({ locale }))
}

function localeOf(settings: string): string {
  try {
    const { locale } = JSON.parse(settings) as { locale?: unknown }
    return Intl.getCanonicalLocales(text(locale))[0] ?? 'en-US'
  } catch {
    return 'en-US'
  }
}

function readColumns(source: DocumentFile): Map<number, Row[]> {
  const byTable = new Map<number, Row[]>()
  for (const row of readAll(source, '_grist_Tables_column', importLimits.allColumns)) {
    const ref = requireRef(row.parentId, 'column')
    const siblings = byTable.get(ref)
    if (siblings) siblings.push(row)
    else byTable.set(ref, [row])
  }
  return byTable
}

function readAll(source: DocumentFile, table: string, most: number): Row[] {
  source.columnsOf(table)
  const rows = source.db
    .prepare<[number], Row>(`SELECT * FROM ${table} ORDER BY id LIMIT ?`)
    .all(most + 1)
  if (rows.length > most) throw tooMuch(`the document has more than ${most} rows in ${table}`)
  return rows
}

/** The value as the id of a table. Throws `invalid` for an id that no table of a document has. */
export function requireTableId(value: unknown, taken: ReadonlySet<string>): string {
  const tableId = text(value)
  if (tableId === '' || tableIdFor(tableId, taken) !== tableId)
    throw badFile(`${shown(tableId)} is not a valid table id`)
  return tableId
}

function tableFields(row: Row, id: number, tableId: string): Row {
  const { summarySourceTable, onDemand, primaryViewId, rawViewSectionRef } = row
  return {
    id,
    tableId,
    primaryViewId: whole(primaryViewId),
    summarySourceTable: whole(summarySourceTable),
    onDemand: whole(onDemand) === 0 ? 0 : 1,
    rawViewSectionRef: whole(rawViewSectionRef),
    recordCardViewSectionRef: whole(row.recordCardViewSectionRef),
  }
}

function makeTable(
  target: DocumentWriter,
  { ref, tableId, rows }: { ref: number; tableId: string; rows: readonly Row[] },
): CopiedTable {
  const place = `table ${shown(tableId)}`
  if (rows.length > MAX_COLUMNS) throw badFile('the table has too many columns', place)
  const used = new Set<string>()
  const columns = rows.map((row) => {
    const id = text(row.colId)
    if (id === '' || columnIdFor(id, used) !== id)
      throw badFile(`${shown(id)} is not a valid column id`, place)
    used.add(id.toLowerCase())
    const fields = columnFields(row, ref, id)
    insert(target, '_grist_Tables_column', fields)
    const computed = isComputed({ isFormula: fields.isFormula !== 0, formula: text(row.formula) })
    return { id, type: columnType(text(row.type)), isComputed: computed }
  })
  if (columns.find(({ id }) => id === 'manualSort')?.type.name !== 'ManualSortPos')
    throw badFile('the table has no column manualSort', place)
  createStoredTable(target, tableId, columns)
  return { ref, tableId, columns }
}

/** Creates the table that holds the rows. */
export function createStoredTable(
  target: DocumentWriter,
  tableId: string,
  columns: readonly (StoredColumnForm & { readonly isComputed: boolean })[],
): void {
  const definitions = columns.map(columnDefinition).join(', ')
  target.connection.db.exec(
    `CREATE TABLE ${quoteId(tableId)} ("id" INTEGER PRIMARY KEY, ${definitions})`,
  )
}

function columnFields(row: Row, parentId: number, colId: string): Row & { isFormula: number } {
  const { parentPos } = row
  const id = requireRef(row.id, 'column')
  return {
    id,
    parentId,
    parentPos: typeof parentPos === 'number' && Number.isFinite(parentPos) ? parentPos : id,
    colId,
    type: text(row.type),
    widgetOptions: text(row.widgetOptions),
    isFormula: whole(row.isFormula) === 0 ? 0 : 1,
    formula: text(row.formula),
    label: cutText(text(row.label), importLimits.labelChars),
    description: text(row.description),
    untieColIdFromLabel: whole(row.untieColIdFromLabel) === 0 ? 0 : 1,
    summarySourceCol: whole(row.summarySourceCol),
    displayCol: whole(row.displayCol),
    visibleCol: whole(row.visibleCol),
    rules: refList(row.rules),
    reverseCol: whole(row.reverseCol),
    recalcWhen: whole(row.recalcWhen),
    recalcDeps: refList(row.recalcDeps),
  }
}

/** Adds a row to a metadata table. */
export function insert(target: DocumentWriter, table: string, fields: Row): void {
  const names = Object.keys(fields)
  const marks = names.map(() => '?').join(', ')
  target.connection
    .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
    .run(Object.values(fields))
}

/** The value as a ref. Throws `invalid` for anything else. */
export function requireRef(value: unknown, of: string): number {
  if (whole(value) > 0 && whole(value) <= importLimits.ref) return whole(value)
  throw badFile(`a ${of} has an invalid ref`)
}

/**
 * A value of another kind than its column is treated as empty. Throws `too_large` for a value larger than a
 * cell.
 */
export function text(value: unknown): string {
  if (typeof value !== 'string') return ''
  requireCellSize(value.length, 'the tables and columns of the document')
  return value
}

/** The value as a positive whole number; 0 for anything else. */
export function whole(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

function refList(value: unknown): string | null {
  const given = text(value)
  try {
    const list = JSON.parse(given) as unknown
    return Array.isArray(list) && list.every((ref) => Number.isSafeInteger(ref)) ? given : null
  } catch {
    return null
  }
}
