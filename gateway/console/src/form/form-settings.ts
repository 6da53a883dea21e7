import type { FormSettings, FormSettingsField } from '@sheaf/client'
import type { Column } from '../api/resources'
import { columnName } from '../formats/column'
import { choicesOf, widgetOptions } from '../formats/widget-options'
import type { Question, ShownForm } from './answers'

/** A form as it is edited. */
export type FormDraft = {
  readonly [key in keyof FormSettings]-?: Exclude<FormSettings[key], undefined>
}

/** Longest texts, in characters; the server has the same limits. */
export const lengths = {
  title: 200,
  description: 5_000,
  submit: 50,
  message: 2_000,
  label: 200,
  help: 1_000,
} as const

const TYPES = ['Text', 'Numeric', 'Int', 'Bool', 'Date', 'DateTime', 'Choice', 'ChoiceList']

const typeOf = ({ fields }: Column): string => fields.type.split(':')[0] ?? ''

/** Whether a form can fill a column: it has no formula, and its type shows nothing of other tables and takes no files. */
export const isFillable = (column: Column): boolean =>
  !column.fields.isFormula && TYPES.includes(typeOf(column))

/** Settings of a new form, which asks for all that it can. */
export const newForm = (columns: readonly Column[]): FormSettings => ({
  fields: columns.filter(isFillable).map(({ id }) => ({ id })),
})

/** The settings of a form, to be edited. */
export const toDraft = ({ fields = [], ...form }: FormSettings): FormDraft => ({
  title: '',
  description: '',
  submit: '',
  message: '',
  again: false,
  ...form,
  fields,
})

/** A draft with one of its fields changed. */
export const withField = (
  draft: FormDraft,
  id: string,
  change: Partial<FormSettingsField>,
): FormDraft => ({
  ...draft,
  fields: draft.fields.map((field) => (field.id === id ? { ...field, ...change } : field)),
})

/** A draft with one of its fields moved up (−1) or down (1). */
export function withMoved(draft: FormDraft, id: string, by: -1 | 1): FormDraft {
  const from = draft.fields.findIndex((field) => field.id === id)
  const fields = [...draft.fields]
  const [moved] = fields.splice(from, 1)
  if (!moved || from + by < 0) return draft
  fields.splice(from + by, 0, moved)
  return { ...draft, fields }
}

/** A draft without one of its fields. */
export const withoutField = (draft: FormDraft, id: string): FormDraft => ({
  ...draft,
  fields: draft.fields.filter((field) => field.id !== id),
})

/** A draft as people will see it. `name` is that of its view. */
export function previewOf(
  { fields, title, ...form }: FormDraft,
  name: string,
  columns: readonly Column[],
): ShownForm {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const questions = fields.flatMap((field): Question[] => {
    const column = byId.get(field.id)
    return column && isFillable(column) ? [questionOf(field, column)] : []
  })
  return { ...form, title: title || name, fields: questions }
}

function questionOf(field: FormSettingsField, column: Column): Question {
  const { id, label = '', help = '', required = false, multiline = false } = field
  const type = typeOf(column)
  const timeZone = type === 'DateTime' ? column.fields.type.split(':')[1] : undefined
  const isNumber = type === 'Numeric' || type === 'Int'
  const isPercent = isNumber && widgetOptions(column).numMode === 'percent'
  return {
    id,
    label: label || columnName(column),
    help,
    required,
    multiline,
    type,
    ...(type.startsWith('Choice') && { choices: choicesOf(column) }),
    ...(timeZone !== undefined && { timeZone }),
    ...(isPercent && { percent: true as const }),
  }
}
