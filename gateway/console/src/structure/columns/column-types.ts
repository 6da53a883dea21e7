import type { Column } from '../../api/resources'
import { isSameValue, rowIds, toList } from '../../formats/value'
import { typeNames } from '../../formats/type-names'
import { readOptions, type WidgetOptions } from '../../formats/widget-options'
import { choiceDrafts, withChoices, type ChoiceDraft } from '../choices/choice-drafts'

/** Returns a column type in words: `Reference to People`. */
export function typeText(type: string): string {
  const [name = '', argument = ''] = type.split(':')
  const text = typeNames.find(([known]) => known === name)?.[1]
  if (text === undefined) return type
  if (name === 'Ref') return `Reference to ${argument}`
  if (name === 'RefList') return `References to ${argument}`
  return argument === '' ? text : `${text} (${argument})`
}

/** Where the cells of a column come from: from people, from its formula, or from people and a trigger formula. */
export type ValueSource = 'data' | 'formula' | 'trigger'

/** Form state of a column. */
export interface ColumnDraft {
  readonly label: string
  /** For readers. */
  readonly description: string
  readonly source: ValueSource
  readonly formula: string
  /** When a trigger formula runs: see `Column`. */
  readonly recalcWhen: number
  /** Refs of the columns whose changes run a trigger formula. */
  readonly recalcDeps: readonly number[]
  /** Type without its argument. */
  readonly type: string
  /** Time zone, for DateTime. */
  readonly zone: string
  /** Table, for Ref and RefList. */
  readonly refTable: string
  /** Column displayed for references; 0 for the default. */
  readonly visibleCol: number
  /** For Choice and ChoiceList. */
  readonly choices: readonly ChoiceDraft[]
  /** The other widget options. */
  readonly options: WidgetOptions
}

/** Fields of a column, as sent to the API. */
export interface ColumnFields {
  readonly label?: string
  readonly description?: string
  readonly type?: string
  readonly isFormula?: boolean
  readonly formula?: string
  readonly recalcWhen?: number
  readonly recalcDeps?: readonly unknown[] | null
  readonly widgetOptions?: string
  readonly visibleCol?: number
}

/** Returns the time zone of the browser. */
const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Returns the initial form state for a new column. */
export const newDraft = (): ColumnDraft => ({
  label: '',
  description: '',
  source: 'data',
  formula: '',
  recalcWhen: 0,
  recalcDeps: [],
  type: 'Text',
  zone: browserZone(),
  refTable: '',
  visibleCol: 0,
  choices: [],
  options: {},
})

/** Returns the initial form state for an existing column. */
export function draftOf({ fields }: Column): ColumnDraft {
  const [name = '', argument = ''] = fields.type.split(':')
  const options = readOptions(fields.widgetOptions)
  const type = typeNames.some(([known]) => known === name) ? name : fields.type
  return {
    label: fields.label,
    description: fields.description,
    source: sourceOf(fields),
    formula: fields.formula,
    recalcWhen: fields.recalcWhen,
    recalcDeps: rowIds(fields.recalcDeps) ?? [],
    type,
    zone: type === 'DateTime' && argument !== '' ? argument : browserZone(),
    refTable: isRef(type) ? argument : '',
    visibleCol: fields.visibleCol,
    choices: choiceDrafts(options),
    options,
  }
}

/** Returns true for reference types. */
export const isRef = (type: string): boolean => type === 'Ref' || type === 'RefList'

/** Returns true for types with choices. */
export const isChoice = (type: string): boolean => type === 'Choice' || type === 'ChoiceList'

/** Returns the column type of a draft in the notation of the API. */
export function typeOf({ type, zone, refTable }: ColumnDraft): string {
  if (type === 'DateTime') return `DateTime:${zone}`
  return isRef(type) ? `${type}:${refTable}` : type
}

/** Returns the fields of a new column. */
export function newFields(draft: ColumnDraft): ColumnFields {
  return {
    label: draft.label.trim(),
    description: draft.description.trim(),
    type: typeOf(draft),
    ...sourceFields(draft),
    ...optionFields('', draft),
    ...(isRef(draft.type) && { visibleCol: draft.visibleCol }),
  }
}

/** Returns the changed fields of a column. */
export function changedFields(column: Column, draft: ColumnDraft): ColumnFields {
  const { label, description, type, widgetOptions, visibleCol } = column.fields
  const next = newFields(draft)
  const shown = isRef(draft.type) ? draft.visibleCol : 0
  return {
    ...(next.label !== label && { label: next.label }),
    ...(draft.description !== description && { description: next.description }),
    ...(next.type !== type && { type: next.type }),
    ...changedSource(column, draft),
    ...optionFields(widgetOptions, draft),
    ...(shown !== visibleCol && { visibleCol: shown }),
  }
}

/** Returns where the cells of a column come from. A formula column without a formula is an empty data column. */
function sourceOf({ isFormula, formula }: Column['fields']): ValueSource {
  if (formula.trim() === '') return 'data'
  return isFormula ? 'formula' : 'trigger'
}

function sourceFields({ source, formula, recalcWhen, recalcDeps }: ColumnDraft): ColumnFields {
  if (source === 'formula') return { isFormula: true, formula }
  if (source === 'data') return { isFormula: false }
  return { isFormula: false, formula, recalcWhen, recalcDeps: toList(recalcDeps) }
}

function changedSource({ fields }: Column, draft: ColumnDraft): ColumnFields {
  const { source, formula, recalcWhen, recalcDeps } = draft
  const before = sourceOf(fields)
  if (source === 'data') return before === 'data' ? {} : { isFormula: false, formula: '' }
  const isSame =
    source === before &&
    formula === fields.formula &&
    (source === 'formula' ||
      (recalcWhen === fields.recalcWhen &&
        isSameValue(recalcDeps, rowIds(fields.recalcDeps) ?? [])))
  return isSame ? {} : sourceFields(draft)
}

/** Returns the widget options of a draft, unless they are those of a text. */
function optionFields(stored: string, { type, options, choices }: ColumnDraft): ColumnFields {
  const next = isChoice(type) ? withChoices(options, choices) : options
  return isSameValue(next, readOptions(stored)) ? {} : { widgetOptions: JSON.stringify(next) }
}
