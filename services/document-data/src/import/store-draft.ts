import { tableIdFor } from '../identifiers'
import type { DocumentWriter } from '../store/document'
import { addRecords, insertRecords } from '../store/records/records'
import { requireFit, requireReferenced } from '../store/records/strict-cells'
import type { Column, Table } from '../store/schema/schema'
import { addColumns, type NewColumn } from '../store/structure/columns'
import { addTables } from '../store/structure/tables'
import type { Cell, StoredValue } from '../values/column-type'
import {
  badTarget,
  findSource,
  matchColumns,
  requireDistinct,
  type AppendTarget,
} from './append-target'
import type { LoadedTable } from './copy-document'
import { shown } from './import-errors'
import type { ImportDraft } from './import-draft'

/**
 * Adds the tables of a draft to a document, with names that are free and the row ids of the draft.
 * @param strict whether cells that do not fit the type that was chosen for their column, and references to rows that do not exist,
 *   are refused rather than kept
 */
export function addDraftTables(
  doc: DocumentWriter,
  draft: ImportDraft,
  strict: boolean,
): LoadedTable[] {
  const taken = new Set(doc.schema.tables.map(({ tableId }) => tableId.toLowerCase()))
  const names = new Map<string, string>()
  for (const { tableId } of draft.tables) {
    const free = tableIdFor(tableId, taken)
    taken.add(free.toLowerCase())
    names.set(tableId, free)
  }
  const wished = draft.tables.map((table) => ({
    id: names.get(table.tableId) ?? '',
    columns: shownColumns(table).map((column) => newColumn(column, names)),
  }))
  const made = addTables(doc, wished)
  const added = draft.tables.map((source, i) => {
    const table = doc.schema.get(made[i] ?? '')
    // A column whose values are all blank remains an empty column.
    const columns = shownColumns(source).filter(({ isFormula }) => !isFormula)
    const targets = columns.flatMap(({ id }) => table.byId.get(id) ?? [])
    const refs = new Set(targets.map(({ ref }) => ref))
    let rows = 0
    for (const { ids, values } of draft.rows(source, columns)) {
      const given = targets.map((column, k) => ({ column, values: values[k] ?? [] }))
      const places = placesOf(ids, rows)
      if (strict) for (const one of given) requireFit(one.column, [], one.values, { places })
      insertRecords(doc, table, { wanted: ids, given, writing: { kind: 'added', given: refs } })
      rows += ids.length
    }
    return { id: table.tableId, rows }
  })
  if (strict) requireRows(doc, draft, made)
  return added
}

/** Throws `invalid` for a reference to a row that does not exist, once all tables are there, which may refer to each other. */
function requireRows(doc: DocumentWriter, draft: ImportDraft, made: readonly string[]): void {
  for (const [i, source] of draft.tables.entries()) {
    const table = doc.schema.get(made[i] ?? '')
    const columns = shownColumns(source).filter(
      ({ isFormula, type }) => !isFormula && (type.name === 'Ref' || type.name === 'RefList'),
    )
    if (columns.length === 0) continue
    const targets = columns.flatMap(({ id }) => table.byId.get(id) ?? [])
    let rows = 0
    for (const { ids, values } of draft.rows(source, columns)) {
      const given = targets.map((column, k) => ({ column, values: values[k] ?? [] }))
      requireReferenced(doc, given, { places: placesOf(ids, rows) })
      rows += ids.length
    }
  }
}

interface Appending {
  readonly append: AppendTarget
  /** Whether cells that do not fit their column are refused rather than kept as text. */
  readonly strict: boolean
}

/** Appends the rows of a table of a draft to a table of a document; cells are converted as those of other writes. */
export function appendDraftRows(
  doc: DocumentWriter,
  draft: ImportDraft,
  { append, strict }: Appending,
): LoadedTable[] {
  const source = findSource(draft.tables, append)
  const targets = matchedIds(doc, source, append)
  const columns = shownColumns(source).filter(({ id }) => targets.has(id))
  let rows = 0
  for (const { ids, values } of draft.rows(source, columns)) {
    const cells = columns.map(
      (column, i) => [targets.get(column.id) ?? '', (values[i] ?? []).map(cellOf(column))] as const,
    )
    const added = { count: ids.length, cells: new Map(cells) }
    addRecords(doc, append.tableId, added, { noParse: false, strict, places: placesOf(ids, rows) })
    rows += ids.length
  }
  return [{ id: append.tableId, rows }]
}

/** Indexes of rows in the file; so many came before them. */
const placesOf = (ids: readonly number[], before: number) => ids.map((_, i) => before + i)

const shownColumns = ({ columns }: Table) => columns.filter(({ hidden }) => !hidden)

function newColumn(
  { id, label, typeName, widgetOptions, isFormula }: Column,
  names: ReadonlyMap<string, string> = new Map(),
): NewColumn {
  const [name, argument = ''] = typeName.split(':')
  const renamed = name === 'Ref' ? names.get(argument) : undefined
  const type = renamed === undefined ? typeName : `Ref:${renamed}`
  return { id, fields: { type, label, widgetOptions, isFormula } }
}

/** The columns of the table by id of the column of the file, those included that are added. */
function matchedIds(doc: DocumentWriter, source: Table, append: AppendTarget): Map<string, string> {
  const matched = matchColumns(source.columns, append)
  const ids = new Map([...matched].map(([from, { id }]) => [from, id]))
  const unknown = shownColumns(source).filter(
    ({ id }) => !matched.has(id) && append.mapping.get(id) !== '',
  )
  if (unknown.length === 0 || append.unknown === 'ignore') return ids
  if (append.unknown === 'refuse') {
    requireDistinct(unknown, matched, append)
    const names = unknown.slice(0, 5).map(({ id, label }) => shown(label || id))
    const table = shown(append.tableId)
    throw badTarget('columns', `table ${table} has no column ${names.join(', ')} to write to`)
  }
  const added = addColumns(
    doc,
    append.tableId,
    unknown.map((column) => newColumn(column)),
  )
  unknown.forEach(({ id }, i) => ids.set(id, added[i] ?? ''))
  return ids
}

/** The cell of a stored value, with the type codes of dates, so that a column of any type knows them. */
function cellOf({ type }: Column): (value: StoredValue) => Cell {
  return (value) => {
    const cell = type.fromStored(value)
    if (typeof cell !== 'number') return cell
    if (type.name === 'Date') return ['d', cell]
    return type.name === 'DateTime' ? ['D', cell, type.argument ?? 'UTC'] : cell
  }
}
