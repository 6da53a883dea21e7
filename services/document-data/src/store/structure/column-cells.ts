import { AppError } from '@sheaf/kit/errors'
import { requireRow } from '../sqlite/connections'
import type { StoredValue } from '../../values/column-type'
import { columnType } from '../../values/column-types'
import { isStoredError } from '../../values/error-cells'
import { convertValue, storesAlike } from '../../values/convert-value'
import { quoteId } from '../../quoting/quote'
import type { DocumentWriter } from '../document'
import type { LogValue } from '../log/log'
import { rewriteCells } from './rewrite-cells'
import type { StoredTable } from './storage-layout'

/** Bytes that one schema change may add to the log; a log entry is one text. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024
/** The same for all schema changes of one write together. */
const MAX_KEPT_BYTES_OF_WRITE = 2 * MAX_KEPT_BYTES
/** Size of a row in the log in addition to its cells. */
const ROW_BYTES = 12

/** The storage of a column's cells: its type, and whether they are data, computed, or empty. */
export interface CellForm {
  readonly typeName: string
  readonly isFormula: boolean
  readonly formula: string
  /** Cells of rows with a greater id are not computed: what they hold is out of date. */
  readonly pendingAfter?: number | undefined
}

/** True when the cells come from a formula, so that nothing is stored. */
export function isComputed({ isFormula, formula }: Omit<CellForm, 'typeName'>): boolean {
  return isFormula && formula !== ''
}

/** True when the column has yet to become a data column. */
export function isEmpty(form: Omit<CellForm, 'typeName'>): boolean {
  return form.isFormula && !isComputed(form)
}

/**
 * Throws `too_large` when the cells of these columns, or together with those of earlier changes of this write,
 * exceed what one log entry can hold.
 */
export function requireKeepable(
  doc: DocumentWriter,
  { tableId }: StoredTable,
  colIds: readonly string[],
): void {
  const sizes = colIds.map((id) => `coalesce(sum(octet_length(${quoteId(id)})), 0)`)
  const sums = requireRow(
    doc.connection
      .raw<number[]>(`SELECT count(*) * ${ROW_BYTES}, ${sizes.join(', ')} FROM ${quoteId(tableId)}`)
      .get(),
  )
  const bytes = sums.reduce((sum, size) => sum + size, 0)
  doc.replacedBytes += bytes
  if (bytes > MAX_KEPT_BYTES)
    throw new AppError(
      'too_large',
      'TABLE_TOO_LARGE',
      `table "${tableId}" has too much data for one change: delete rows first`,
    )
  if (doc.replacedBytes > MAX_KEPT_BYTES_OF_WRITE)
    throw new AppError(
      'too_large',
      'TABLE_TOO_LARGE',
      `the changes of tables and columns in one request replace too much data, at table "${tableId}": use several requests`,
    )
}

/** A conversion of the cells of a column. */
export interface CellChange {
  readonly table: StoredTable
  readonly column: { readonly id: string; readonly ref: number }
  readonly from: CellForm
  readonly to: CellForm
  /** Overrides the conversion between the types; null to leave the cells unchanged. */
  readonly convert?: Conversion | null | undefined
}

/** Converts a stored value, in the row with this id. */
export type Conversion = (value: StoredValue, rowId: number) => StoredValue

/** Converts the cells of a column and records those that change. */
export function changeCells(doc: DocumentWriter, change: CellChange): void {
  const { table, column, from, to } = change
  if (change.convert === null) return
  if (!change.convert && isEmpty(from)) {
    const value = fillOf(change)
    if (value !== undefined) fillColumn(doc, table, column.id, value)
    return
  }
  const convert = change.convert ?? createConversion(doc, from, to)
  if (!convert) return
  requireKeepable(doc, table, [column.id])
  const { rowIds, old, after } = rewriteCells(doc.connection, {
    tableId: table.tableId,
    colId: column.id,
    convert,
  })
  if (rowIds.length === 0) return
  const { typeName: type } = to
  const values = { id: column.id, ref: column.ref, type, oldType: from.typeName, old, new: after }
  doc.record({
    kind: 'update_rows',
    table: table.tableId,
    tableRef: table.ref,
    rowIds,
    columns: [values],
  })
}

/**
 * The value that all cells of an empty column take, which holds nothing but its default; undefined when they
 * are unchanged or converted one by one.
 */
export function fillOf({
  from,
  to,
  convert,
}: Pick<CellChange, 'from' | 'to' | 'convert'>): StoredValue | undefined {
  if (convert !== undefined || !isEmpty(from)) return undefined
  if (isComputed(to)) return null
  return from.typeName === to.typeName ? undefined : columnType(to.typeName).defaultValue
}

/**
 * How a stored value changes; undefined when no value does. Errors of a formula stay while the column has a formula, also
 * as its default; afterwards their cells are empty.
 */
export function createConversion(
  doc: DocumentWriter,
  from: CellForm,
  to: CellForm,
): Conversion | undefined {
  const [before, after] = [columnType(from.typeName), columnType(to.typeName)]
  if (to.isFormula) {
    const value = isComputed(to) ? null : after.defaultValue
    return isComputed(from) && isComputed(to) ? undefined : () => value
  }
  // Computed cells may be null, which not every type permits.
  const keepsErrors = to.formula !== ''
  if (storesAlike(before, after) && !isComputed(from) && (keepsErrors || from.formula === ''))
    return undefined
  const context = { settings: doc.schema.settings, widgetOptions: {} }
  const { pendingAfter = Infinity } = from
  return (value, rowId) => {
    if (isStoredError(value) && keepsErrors && rowId <= pendingAfter) return value
    const isKept = rowId <= pendingAfter && !isStoredError(value)
    return convertValue(isKept ? value : null, before, after, context)
  }
}

/**
 * Sets all cells of a column to one value. Not recorded: for columns whose cells follow from their metadata.
 */
export function fillColumn(
  { connection }: DocumentWriter,
  { tableId }: Pick<StoredTable, 'tableId'>,
  colId: string,
  value: StoredValue,
): void {
  const cell = quoteId(colId)
  connection
    .prepare(`UPDATE ${quoteId(tableId)} SET ${cell} = ? WHERE ${cell} IS NOT ?`)
    .run(value, value)
}

/** All non-empty cells of a column, by row, in the form of the log. */
export function readCells(
  { connection }: DocumentWriter,
  { tableId }: StoredTable,
  colId: string,
): { readonly rowIds: number[]; readonly values: LogValue[] } {
  const rows = connection
    .raw<[number, LogValue]>(
      `SELECT id, ${quoteId(colId)} FROM ${quoteId(tableId)} NOT INDEXED
       WHERE ${quoteId(colId)} IS NOT NULL ORDER BY id`,
    )
    .all()
  return { rowIds: rows.map(([id]) => id), values: rows.map(([, value]) => value) }
}
