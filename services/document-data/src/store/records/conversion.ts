import { AppError } from '@sheaf/kit/errors'
import type { Cell, ColumnContext, StoredValue } from '../../values/column-type'
import { guessColumn } from '../../values/guessing/guess-column'
import { makeDataColumn } from '../structure/columns'
import type { DocumentWriter } from '../document'
import type { Column, Table } from '../schema/schema'
import { invalidColumn } from '../schema/unknown-names'
import { createLookup } from './lookup'
import { requireFit, type Places } from './strict-cells'

/**
 * Cells to write, by column id; each list has one item per row, undefined where the row leaves the column
 * out.
 */
export type CellColumns = ReadonlyMap<string, readonly (Cell | undefined)[]>

/** Options for the cells of a write. */
export interface WriteOptions extends Places {
  /** True to store text unchanged instead of parsing it by column type. */
  readonly noParse: boolean
  /** True to reject cells that do not fit their column, and references to what does not exist. */
  readonly strict?: boolean
}

/** One column of a write, in stored form. */
export interface StoredColumn {
  readonly column: Column
  readonly values: readonly StoredValue[]
}

/**
 * Converts cells to their stored form. An empty column becomes a data column of the type that fits its first
 * values. Throws `invalid` for an unknown or a computed column, naming it.
 */
export function convertColumns(
  doc: DocumentWriter,
  table: Table,
  cells: CellColumns,
  options: WriteOptions,
): StoredColumn[] {
  const stored: StoredColumn[] = []
  for (const [colId, values] of cells) {
    const column = requireDataColumn(doc, table, colId, values)
    if (column) stored.push({ column, values: convertCells(doc, column, values, options) })
  }
  return stored
}

/** The column to write to; undefined when it remains empty. */
function requireDataColumn(
  doc: DocumentWriter,
  table: Table,
  colId: string,
  values: readonly (Cell | undefined)[],
): Column | undefined {
  const column = table.byId.get(colId)
  if (!column) throw invalidColumn(colId, table)
  if (!column.isFormula) return column
  const refusal = formulaColumn(column)
  if (refusal) throw refusal
  return fillEmptyColumn(doc, table, column, values)
}

/** The error for cells of a column whose cells come from a formula; undefined for another column. */
export function formulaColumn({ id, isFormula, formula }: Column): AppError | undefined {
  if (!isFormula || formula === '') return undefined
  return new AppError('invalid', 'FORMULA_COLUMN', `Can't save value to formula column "${id}"`)
}

function fillEmptyColumn(
  doc: DocumentWriter,
  table: Table,
  column: Column,
  values: readonly (Cell | undefined)[],
): Column | undefined {
  const given = values.map((value) => value ?? null)
  const guess = guessColumn(given, doc.schema.settings)
  if (!guess) return undefined
  const { typeName, widgetOptions } = column
  // An explicitly chosen type is kept; only a column without one takes the type of its first values.
  const form =
    column.type.name === 'Any'
      ? { type: guess.type, widgetOptions: guess.widgetOptions ?? widgetOptions }
      : { type: typeName, widgetOptions }
  return makeDataColumn(doc, table, column, form)
}

/** The stored form of cells of one column. */
export function convertCells(
  doc: DocumentWriter,
  column: Column,
  values: readonly (Cell | undefined)[],
  options: WriteOptions,
): StoredValue[] {
  const { type } = column
  const context = createColumnContext(doc, column)
  const stored = new Array<StoredValue>(values.length)
  for (let row = 0; row < values.length; row++)
    stored[row] = type.toStored(values[row] ?? null, context, options)
  if (options.strict) requireFit(column, values, stored, options)
  return stored
}

function createColumnContext(doc: DocumentWriter, column: Column): ColumnContext {
  const context: ColumnContext = {
    settings: doc.schema.settings,
    widgetOptions: column.options,
  }
  const { name, argument } = column.type
  if ((name !== 'Ref' && name !== 'RefList') || argument === undefined) return context
  const lookup = createLookup(doc, argument)
  context.lookupIn = (text, colId) => lookup(text, { colId })
  const { visibleCol } = column
  if (visibleCol !== 0) context.lookup = (text) => lookup(text, { colRef: visibleCol })
  return context
}
