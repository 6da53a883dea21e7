import { AppError } from '@sheaf/kit/errors'
import { columnIdFor } from '../../identifiers'
import type { ColumnType } from '../../values/column-type'
import { columnType } from '../../values/column-types'
import { quoteId } from '../../quoting/quote'
import { dropColumnIndex } from '../indexes/auto-indexes'
import { redoTogether } from '../log/log'
import type { WholeMetadata } from '../schema/column-metadata'
import type { DocumentReader, DocumentWriter } from '../document'
import { targetsOf } from '../schema/reference-targets'
import { nextRef } from '../schema/refs'
import type { Column, Table } from '../schema/schema'
import { columnDefinition } from '../sqlite/column-definition'
import { fillColumn, isComputed } from './column-cells'
import { addStoredColumns, storedForm, type StoredForm } from './storage-layout'

/** Columns of one table; SQLite allows 2,000. */
export const MAX_COLUMNS = 1900

/** Metadata that a caller may give a new column. */
export interface NewColumnFields {
  readonly type?: string
  readonly label?: string
  readonly formula?: string
  readonly isFormula?: boolean
  readonly widgetOptions?: string
  readonly visibleCol?: number
  readonly description?: string
  readonly untieColIdFromLabel?: boolean
  readonly recalcWhen?: number
  /** JSON list of column refs. */
  readonly recalcDeps?: string | null
  /** JSON list of column refs. */
  readonly rules?: string | null
  readonly position?: number
}

/** A column to create. */
export interface NewColumn {
  /** Requested id; absent or empty to take the next free one. */
  readonly id?: string
  readonly fields: NewColumnFields
}

/** A column to be created. */
export interface PlannedColumn {
  readonly id: string
  readonly type: ColumnType
  readonly typeName: string
  readonly isFormula: boolean
  /** True when its cells come from a formula. */
  readonly isComputed: boolean
  readonly fields: NewColumnFields
}

/** The columns of a table by position. Throws `not_found`. */
export function listColumns(doc: DocumentReader, tableId: string, hidden: boolean): Column[] {
  const { columns } = doc.schema.getReadable(tableId)
  return columns.filter((column) => hidden || !column.hidden)
}

/**
 * Adds columns to a table and returns their ids. Throws `not_found` for the table, `invalid` for a bad
 * column.
 */
export function addColumns(
  doc: DocumentWriter,
  tableId: string,
  wished: readonly NewColumn[],
): string[] {
  const table = doc.schema.getWritable(tableId)
  const taken = new Set(table.columns.map(({ id }) => id.toLowerCase()))
  const columns = planColumns(doc, taken, wished)
  const made = describeNewColumns(doc, columns)
  storeColumns(doc, table, made)
  recordAddedColumns(doc, table, made)
  return columns.map(({ id }) => id)
}

/** Adds columns with these metadata to a table; its rows take their defaults. */
export function storeColumns(
  doc: DocumentWriter,
  table: Table,
  columns: readonly DescribedColumn[],
): void {
  addStoredColumns(doc, table, table.columns.map(storedForm), columns.map(describedForm))
  insertColumnRows(doc, table.ref, columns)
  doc.schemaChanged()
}

/** Records these columns as added in one step. */
export function recordAddedColumns(
  doc: DocumentWriter,
  table: Table,
  columns: readonly DescribedColumn[],
): void {
  columns.forEach((described, index) =>
    doc.record({
      kind: 'add_column',
      table: table.tableId,
      tableRef: table.ref,
      column: described.colId,
      columnRef: described.colRef,
      new: described,
      targets: targetsOf(doc.schema, [described.type]),
      redo: redoTogether(index, columns.length),
    }),
  )
}

/**
 * Chooses ids and types. `taken` holds the ids in use, in lower case. A column is computed when its fields
 * say so; without a type a computed one is Any and another one Text. Throws `invalid` for an unknown type.
 */
export function planColumns(
  doc: DocumentReader,
  taken: ReadonlySet<string>,
  wished: readonly NewColumn[],
): PlannedColumn[] {
  const used = new Set(taken)
  if (used.size + wished.length > MAX_COLUMNS)
    throw new AppError(
      'invalid',
      'TOO_MANY_COLUMNS',
      `a table must not have more than ${MAX_COLUMNS} columns`,
    )
  return wished.map(({ id: wish = '', fields }) => {
    const id = columnIdFor(wish, used)
    used.add(id.toLowerCase())
    const isFormula = fields.isFormula ?? false
    const typeName = fullTypeName(doc, fields.type ?? (isFormula ? 'Any' : 'Text'))
    const computed = isComputed({ isFormula, formula: fields.formula ?? '' })
    return { id, typeName, type: columnType(typeName), isFormula, isComputed: computed, fields }
  })
}

/** The type with its argument: a DateTime without a zone gets that of the document. */
export function fullTypeName(doc: DocumentReader, typeName: string): string {
  return typeName === 'DateTime' ? `DateTime:${doc.schema.settings.timezone}` : typeName
}

const FIELDS = [
  ...[
    'parentPos',
    'colId',
    'type',
    'widgetOptions',
    'isFormula',
    'formula',
    'label',
    'description',
  ],
  ...['untieColIdFromLabel', 'summarySourceCol', 'displayCol', 'visibleCol', 'rules', 'reverseCol'],
  ...['recalcWhen', 'recalcDeps'],
] as const satisfies readonly (keyof WholeMetadata)[]

/** A column with its ref and all its metadata, in the form of the log. */
export type DescribedColumn = WholeMetadata & { readonly colRef: number }

/** How a column with these metadata is stored. */
export function describedForm(column: DescribedColumn): StoredForm {
  return { id: column.colId, type: columnType(column.type), isComputed: isComputed(column) }
}

/** Writes the metadata of new columns. */
export function insertColumnRows(
  { connection }: DocumentWriter,
  tableRef: number,
  columns: readonly DescribedColumn[],
): void {
  const insert = connection.prepare(
    `INSERT INTO _grist_Tables_column (id, parentId, ${FIELDS.join(', ')})
     VALUES (?, ?${', ?'.repeat(FIELDS.length)})`,
  )
  for (const column of columns) {
    const values = FIELDS.map((field) => column[field])
    const stored = values.map((value) => (typeof value === 'boolean' ? Number(value) : value))
    insert.run(column.colRef, tableRef, ...stored)
  }
}

/** The metadata of new columns, with their refs and positions, in the form of the log. */
export function describeNewColumns(
  doc: DocumentReader,
  columns: readonly PlannedColumn[],
): DescribedColumn[] {
  const last = doc.connection
    .pluck<number | null>('SELECT max(parentPos) FROM _grist_Tables_column')
    .get()
  let position = Math.floor(last ?? 0)
  const first = nextRef(doc.connection, 'column')
  return columns.map(({ id, typeName, isFormula, fields }, i) => ({
    colId: id,
    colRef: first + i,
    parentPos: fields.position ?? ++position,
    type: typeName,
    widgetOptions: fields.widgetOptions ?? '',
    isFormula,
    formula: fields.formula ?? '',
    label: fields.label ?? id,
    description: fields.description ?? '',
    untieColIdFromLabel: fields.untieColIdFromLabel ?? false,
    summarySourceCol: 0,
    displayCol: 0,
    visibleCol: fields.visibleCol ?? 0,
    rules: fields.rules ?? null,
    reverseCol: 0,
    recalcWhen: fields.recalcWhen ?? 0,
    recalcDeps: fields.recalcDeps ?? null,
  }))
}

/** What an empty column becomes when its first values are written. */
export interface DataColumnForm {
  readonly type: string
  readonly widgetOptions: string
}

/** Turns an empty column into a data column and returns it. */
export function makeDataColumn(
  doc: DocumentWriter,
  table: Table,
  column: Column,
  form: DataColumnForm,
): Column {
  storeDataColumn(doc, table, column, form)
  doc.record({
    kind: 'update_column',
    table: table.tableId,
    tableRef: table.ref,
    column: column.id,
    columnRef: column.ref,
    old: { type: column.typeName, widgetOptions: column.widgetOptions, isFormula: true },
    new: { ...form, isFormula: false },
    targets: targetsOf(doc.schema, [column.typeName, form.type]),
    redo: { refit: true },
  })
  return doc.schema.get(table.tableId).byId.get(column.id) ?? column
}

/** Stores an empty column as a data column. */
export function storeDataColumn(
  doc: DocumentWriter,
  table: Table,
  column: Column,
  form: DataColumnForm,
): void {
  refitColumn(doc, table, column, columnType(form.type))
  doc.connection
    .prepare(
      'UPDATE _grist_Tables_column SET type = ?, widgetOptions = ?, isFormula = 0 WHERE id = ?',
    )
    .run(form.type, form.widgetOptions, column.ref)
  doc.schemaChanged()
}

/**
 * Converts an empty column to the new type, and gives the existing rows its default. The log need not contain
 * these cells, because the column had none before. The column's affinity changes only while the table has no
 * rows: on a large table that would rewrite every row, and conversion stores the right form in any case.
 */
function refitColumn(doc: DocumentWriter, table: Table, column: Column, type: ColumnType): void {
  const { connection } = doc
  const name = quoteId(table.tableId)
  const hasRows = connection.pluck(`SELECT EXISTS (SELECT 1 FROM ${name})`).get() === 1
  if (!hasRows && column.type.affinity !== type.affinity) {
    dropColumnIndex(connection, table.ref, column.ref)
    connection.db.exec(`ALTER TABLE ${name} DROP COLUMN ${quoteId(column.id)}`)
    connection.db.exec(
      `ALTER TABLE ${name} ADD COLUMN ${columnDefinition({ id: column.id, type, isComputed: false })}`,
    )
  } else if (hasRows && column.type !== type) fillColumn(doc, table, column.id, type.defaultValue)
}
