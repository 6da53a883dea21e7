import { AppError, toAppError } from '@sheaf/kit/errors'
import type { DocumentReader, DocumentWriter } from '../document'
import { addRecords } from '../records/records'
import type { Column, Table } from '../schema/schema'
import { readForm, type FormSettings } from '../views/view-form'
import { readViews } from '../views/view-rows'
import { badValue, readFormValues, type FormQuestion } from './form-values'

/** A question of a form as people see it. */
export interface ShownField extends FormQuestion {
  readonly label: string
  readonly help: string
  readonly multiline: boolean
  /** Time zone in which a DateTime without an offset is read. */
  readonly timeZone?: string
  /** True for a number that people read as a percentage: 0.5 is 50 %. */
  readonly percent?: true
}

/** A form as people see it: nothing of its table but what it asks. */
export interface Form extends Omit<FormSettings, 'fields'> {
  readonly fields: readonly ShownField[]
}

/** A form. Throws `not_found` when the view does not exist or is no form. */
export function getForm(doc: DocumentReader, viewId: number): Form {
  return findForm(doc, viewId).form
}

/**
 * Adds a row with what was entered in a form. Throws `not_found` as `getForm`, and `invalid` as `readFormValues`. Columns
 * without an answer take their default.
 */
export function addFormRow(
  doc: DocumentWriter,
  viewId: number,
  values: Readonly<Record<string, unknown>>,
): void {
  const { table, form } = findForm(doc, viewId)
  const cells = [...readFormValues(form.fields, values)].map(([id, cell]) => [id, [cell]] as const)
  const rows = { count: 1, cells: new Map(cells) }
  try {
    addRecords(doc, table.tableId, rows, { noParse: true, strict: true })
  } catch (error) {
    throw toFormError(error)
  }
}

/** Names the field of a value that has the form of its type and is none, such as a day of the year 0. */
function toFormError(error: unknown): unknown {
  const { reason, metadata } = toAppError(error) ?? {}
  if (reason !== 'INVALID_VALUE' || metadata?.column === undefined) return error
  return badValue(metadata.column, 'is out of range')
}

function findForm({ connection, schema }: DocumentReader, viewId: number) {
  const view = schema.hasViews ? readViews(connection, [viewId]).get(viewId) : undefined
  const table = view && schema.findByRef(view.tableRef)
  if (view?.type !== 'form' || !table)
    throw new AppError('not_found', 'FORM_NOT_FOUND', 'form not found')
  const { fields, title, ...rest } = readForm(table, view.form)
  const shown = fields.flatMap(({ id, ...field }): ShownField[] => {
    const column = table.byId.get(id)
    if (!column) return []
    return [
      {
        ...field,
        id,
        label: field.label || column.label || id,
        ...answerOf(column, schema.settings.timezone),
      },
    ]
  })
  return {
    table: table satisfies Table,
    form: { title: title || view.name, ...rest, fields: shown },
  }
}

function answerOf({ type, choices = [], options }: Column, timeZone: string) {
  const { name, argument } = type
  const isPercent = options.numMode === 'percent' && (name === 'Numeric' || name === 'Int')
  return {
    type: name,
    ...((name === 'Choice' || name === 'ChoiceList') && { choices }),
    ...(name === 'DateTime' && { timeZone: argument ?? timeZone }),
    ...(isPercent && { percent: true as const }),
  }
}
