import type { DocumentWriter } from '../../store/document'
import { MAX_COLUMNS } from '../../store/structure/columns'
import { isTimeZone } from '../../values/dates/time-zone'
import {
  createStoredTable,
  insert,
  requireRef,
  requireTableId,
  text,
  updateSettings,
  whole,
} from '../copy-metadata'
import type { DocumentSize } from '../document-size'
import { badFile, shown, tooMuch } from '../import-errors'
import { importLimits } from '../import-limits'
import type { ImportNotes } from '../import-notes'
import type { UploadedDatabase } from '../sqlite/uploaded-database'
import { gristCell } from './grist-cells'
import {
  planColumns,
  positionColumn,
  readRefs,
  type GristColumn,
  type MetadataRow,
} from './grist-columns'

/** A table of the new document. */
export interface GristTable {
  readonly ref: number
  readonly tableId: string
  readonly isSummary: boolean
  readonly columns: readonly GristColumn[]
}

const TABLES = '_grist_Tables'
const COLUMNS = '_grist_Tables_column'
const tableColumns = ['id', 'tableId', 'summarySourceTable', 'onDemand']
const columnColumns = [
  ...['id', 'parentId', 'parentPos', 'colId', 'type', 'widgetOptions', 'isFormula', 'formula'],
  ...['label', 'description', 'untieColIdFromLabel', 'displayCol', 'visibleCol', 'rules'],
  ...['reverseCol', 'recalcWhen', 'recalcDeps'],
]
/** Grist keeps tables with this prefix while a file is being imported. */
const TEMPORARY = 'GristHidden_import'

/**
 * Creates the tables of a Grist document, with the same refs, from its metadata. Throws `invalid` for metadata that no
 * document has; smaller faults are mended and noted.
 */
export function createGristTables(
  source: UploadedDatabase,
  target: DocumentWriter,
  { size, notes }: { readonly size: DocumentSize; readonly notes: ImportNotes },
): GristTable[] {
  const timezone = copySettings(source, target, notes)
  const tables = planTables(source, { size, notes, timezone })
  const kept = new Map(tables.flatMap((table) => table.columns.map((c) => [c.ref, { table, c }])))
  for (const { ref, tableId, columns } of tables) {
    insert(target, TABLES, { id: ref, tableId })
    for (const column of columns) {
      const fields = withKnownRefs(column, (other) => kept.get(other)?.table.tableId, tableId)
      insert(target, COLUMNS, fields)
    }
    createStoredTable(target, tableId, columns)
  }
  target.schemaChanged()
  return tables
}

function copySettings(
  source: UploadedDatabase,
  target: DocumentWriter,
  notes: ImportNotes,
): string {
  const [row = {}] = readMetadata(
    source,
    '_grist_DocInfo',
    ['id', 'timezone', 'documentSettings'],
    10,
  )
  const timezone = text(row.timezone)
  const isKnown = isTimeZone(timezone)
  if (!isKnown && timezone !== '')
    notes.add(`changed: time zone ${shown(timezone)} of the document to UTC`)
  updateSettings(target, timezone, text(row.documentSettings))
  return isKnown ? timezone : 'UTC'
}

interface Planning {
  readonly size: DocumentSize
  readonly notes: ImportNotes
  readonly timezone: string
}

function planTables(source: UploadedDatabase, { size, notes, timezone }: Planning): GristTable[] {
  const rows = readMetadata(source, TABLES, tableColumns, importLimits.tables)
  const columnRows = readMetadata(source, COLUMNS, columnColumns, importLimits.allColumns)
  for (const row of [...rows, ...columnRows]) size.addRow(Object.values(row))
  requireUnique(rows, 'table')
  requireUnique(columnRows, 'column')
  const byTable = groupByTable(columnRows)
  const displays = new Set(columnRows.map(({ displayCol }) => whole(displayCol)))
  let next = columnRows.reduce((highest, { id }) => Math.max(highest, whole(id)), 0)
  const taken = new Set<string>()
  const named = rows.flatMap((row) => {
    const ref = requireRef(row.id, 'table')
    const own = byTable.get(ref) ?? []
    byTable.delete(ref)
    const tableId = requireTableId(row.tableId, taken)
    taken.add(tableId.toLowerCase())
    if (!tableId.startsWith(TEMPORARY)) return [{ row, ref, tableId, own }]
    notes.add(`left out: table ${shown(tableId)} of an unfinished import`)
    return []
  })
  if (byTable.size > 0) throw badFile('the metadata has columns of a table that does not exist')
  const tableIds = new Set(named.map(({ tableId }) => tableId))
  return named.map(({ row, ref, tableId, own }): GristTable => {
    const isSummary = whole(row.summarySourceTable) > 0
    noteTable(notes, row, { tableId, rows: own })
    const stored = storedColumns(source, tableId)
    const context = {
      tableRef: ref,
      tableId,
      isSummary,
      stored,
      tableIds,
      displays,
      timezone,
      notes,
    }
    const columns = planColumns(own.sort(byPosition), context)
    if (!columns.some(({ id }) => id === 'manualSort'))
      columns.unshift(positionColumn(ref, requireRef(++next, 'column')))
    if (columns.length > MAX_COLUMNS)
      throw badFile('the table has too many columns', `table ${shown(tableId)}`)
    return { ref, tableId, isSummary, columns }
  })
}

function groupByTable(rows: readonly MetadataRow[]): Map<number, MetadataRow[]> {
  const byTable = new Map<number, MetadataRow[]>()
  for (const row of rows) {
    const ref = requireRef(row.parentId, 'column')
    const siblings = byTable.get(ref)
    if (siblings) siblings.push(row)
    else byTable.set(ref, [row])
  }
  return byTable
}

/** The rows of a metadata table, by id. Throws `too_large` for more than `most`. */
function readMetadata(
  source: UploadedDatabase,
  table: string,
  columns: readonly string[],
  most: number,
): MetadataRow[] {
  if (!source.has(table)) throw badFile(`the Grist document has no table ${table}`)
  const rows = source.readSome(table, columns, most)
  if (!rows) throw tooMuch(`the document has more than ${most} rows in ${table}`)
  const place = 'the tables and columns of the document'
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, number(gristCell(value, place))]),
    ),
  )
}

function number(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value
}

function requireUnique(rows: readonly MetadataRow[], what: string): void {
  const refs = new Set(rows.map(({ id }) => id))
  if (refs.size < rows.length) throw badFile(`the metadata has a ${what} twice`)
}

function byPosition(a: MetadataRow, b: MetadataRow): number {
  const position = ({ parentPos, id }: MetadataRow) =>
    typeof parentPos === 'number' && Number.isFinite(parentPos) ? parentPos : whole(id)
  return position(a) - position(b) || whole(a.id) - whole(b.id)
}

function storedColumns(source: UploadedDatabase, tableId: string): ReadonlySet<string> {
  const columns = source.columnsOf(tableId).filter(({ isPlain }) => isPlain)
  const names = new Set(columns.map(({ name }) => name))
  if (!names.has('id')) throw badFile('column "id" is missing', `table ${shown(tableId)}`)
  return names
}

function noteTable(
  notes: ImportNotes,
  row: MetadataRow,
  { tableId, rows }: { readonly tableId: string; readonly rows: readonly MetadataRow[] },
): void {
  if (whole(row.summarySourceTable) > 0)
    notes.add(
      `changed: summary table ${shown(tableId)} is a table of data, its formulas are left out`,
    )
  if (whole(row.onDemand) > 0) notes.add(`changed: table ${shown(tableId)} is not on demand`)
  if (rows.some(({ rules }) => typeof rules === 'string' && readRefs(rules).length > 0))
    notes.add(`left out: conditional styles of table ${shown(tableId)}`)
  if (rows.some(({ reverseCol }) => whole(reverseCol) > 0))
    notes.add(`changed: references of table ${shown(tableId)} are no longer two-way`)
}

/** The row of a column without refs of columns that the document does not have. */
function withKnownRefs(
  { fields, type }: GristColumn,
  tableOf: (ref: number) => string | undefined,
  tableId: string,
): MetadataRow {
  const known = (ref: unknown, table: string | undefined) =>
    table !== undefined && tableOf(whole(ref)) === table ? whole(ref) : 0
  const deps = readRefs(fields.recalcDeps as string | null).filter((ref) => known(ref, tableId))
  return {
    ...fields,
    displayCol: known(fields.displayCol, tableId),
    visibleCol: known(fields.visibleCol, type.argument),
    recalcDeps: deps.length === 0 ? null : JSON.stringify(deps),
  }
}
