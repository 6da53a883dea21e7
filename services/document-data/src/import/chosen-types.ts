import { AppError } from '@sheaf/kit/errors'
import type { DocumentWriter } from '../store/document'
import { updateColumns } from '../store/structure/column-updates'
import { columnType } from '../values/column-types'
import { findSource, matchColumns, type AppendTarget } from './append-target'
import { shown } from './import-errors'
import type { ChosenTypes } from './import-options'

/** What determines the types of columns, beside their values. */
export interface TypeChoice {
  readonly chosen: ChosenTypes | undefined
  readonly append: AppendTarget | undefined
}

/** The date formats that fit the values of columns, by id of the table and position of the column. */
export type DateFormats = ReadonlyMap<string, readonly (string | undefined)[]>

/** Gives columns of tables that have no rows yet the types that were chosen. Throws `invalid` for an unknown table or column. */
export function chooseTypes(
  doc: DocumentWriter,
  { chosen = new Map(), append }: TypeChoice,
  dateFormats: DateFormats = new Map(),
): void {
  const types = append ? withTexts(doc, chosen, append) : chosen
  for (const [tableId, columns] of types) {
    const table = doc.schema.tables.find((one) => one.tableId === tableId)
    if (!table) throw badChoice(`unknown table ${shown(tableId)}`)
    const shownColumns = table.columns.filter(({ hidden }) => !hidden)
    const updates = [...columns].flatMap(([id, type]) => {
      const column = table.byId.get(id)
      if (!column || column.hidden)
        throw badChoice(`unknown column ${shown(id)} of table ${shown(tableId)}`)
      const { name } = columnType(type)
      const isDate = name === 'Date' || name === 'DateTime'
      const format = isDate ? dateFormats.get(tableId)?.[shownColumns.indexOf(column)] : undefined
      // The format of its numbers or dates stays with a column that keeps its kind.
      const kept = column.isFormula || column.type.name !== name ? '' : column.widgetOptions
      const widgetOptions = kept === '' && format ? JSON.stringify({ dateFormat: format }) : kept
      return [{ id, change: { type, widgetOptions, isFormula: false } }]
    })
    updateColumns(doc, tableId, updates)
  }
  // One log entry stands for the whole document.
  doc.operations.length = 0
}

/** The chosen types, and Text for columns whose text goes to a column that is no number or date. */
function withTexts(doc: DocumentWriter, chosen: ChosenTypes, append: AppendTarget): ChosenTypes {
  const { tableId, columns } = findSource(doc.schema.tables, append)
  const types = new Map(chosen.get(tableId))
  const matched = matchColumns(columns, append)
  for (const { id } of columns) if (matched.get(id)?.isText && !types.has(id)) types.set(id, 'Text')
  return new Map([...chosen, [tableId, types]])
}

/** The error for chosen types that do not match the file. */
export function badChoice(problem: string): AppError {
  return new AppError('invalid', 'BAD_FIELD', `options.types: ${problem}`, {
    field: 'options.types',
  })
}
