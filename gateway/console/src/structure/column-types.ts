import type { Column } from '../api/resources'
import { readChoices, readOptions } from '../formats/widget-options'

/** Column types of the API with their display names. */
export const typeNames: readonly (readonly [string, string])[] = [
  ['Text', 'Text'],
  ['Numeric', 'Number'],
  ['Int', 'Integer'],
  ['Bool', 'Checkbox'],
  ['Date', 'Date'],
  ['DateTime', 'Date and time'],
  ['Choice', 'Choice'],
  ['ChoiceList', 'Choice list'],
  ['Ref', 'Reference'],
  ['RefList', 'Reference list'],
  ['Attachments', 'Files'],
  ['Any', 'Any'],
]

/** Form state of a column. */
export interface ColumnDraft {
  readonly label: string
  /** Type without its argument. */
  readonly type: string
  /** Time zone, for DateTime. */
  readonly zone: string
  /** Table, for Ref and RefList. */
  readonly refTable: string
  /** Column displayed for references; 0 for the default. */
  readonly visibleCol: number
  /** One choice per line, for Choice and ChoiceList. */
  readonly choices: string
}

/** Fields of a column, as sent to the API. */
export interface ColumnFields {
  readonly label?: string
  readonly type?: string
  readonly isFormula?: boolean
  readonly widgetOptions?: string
  readonly visibleCol?: number
}

/** Returns the time zone of the browser. */
const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Returns the initial form state for a new column. */
export const newDraft = (): ColumnDraft => ({
  label: '',
  type: 'Text',
  zone: browserZone(),
  refTable: '',
  visibleCol: 0,
  choices: '',
})

/** Returns the initial form state for an existing column. */
export function draftOf({ fields }: Column): ColumnDraft {
  const [name = '', argument = ''] = fields.type.split(':')
  const type = typeNames.some(([known]) => known === name) ? name : fields.type
  return {
    label: fields.label,
    type,
    zone: type === 'DateTime' && argument !== '' ? argument : browserZone(),
    refTable: isRef(type) ? argument : '',
    visibleCol: fields.visibleCol,
    choices: readChoices(readOptions(fields.widgetOptions)).join('\n'),
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
    type: typeOf(draft),
    isFormula: false,
    ...(isChoice(draft.type) && { widgetOptions: withChoices('', draft.choices) }),
    ...(isRef(draft.type) && { visibleCol: draft.visibleCol }),
  }
}

/** Returns the changed fields of a column. */
export function changedFields(column: Column, draft: ColumnDraft): ColumnFields {
  const { label, type, widgetOptions, visibleCol } = column.fields
  const choices = isChoice(draft.type) ? withChoices(widgetOptions, draft.choices) : widgetOptions
  const next = { ...newFields(draft), widgetOptions: choices }
  const shown = isRef(draft.type) ? draft.visibleCol : 0
  return {
    ...(next.label !== label && { label: next.label }),
    ...(next.type !== type && { type: next.type }),
    ...(next.widgetOptions !== widgetOptions && { widgetOptions: next.widgetOptions }),
    ...(shown !== visibleCol && { visibleCol: shown }),
  }
}

/** Returns the distinct, trimmed lines of a text. */
function splitChoices(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}

/** Returns widget options with the given choices. If the choices are unchanged, the text is returned as it is. */
function withChoices(widgetOptions: string, text: string): string {
  const options = readOptions(widgetOptions)
  const choices = splitChoices(text)
  if (JSON.stringify(choices) === JSON.stringify(readChoices(options))) return widgetOptions
  return JSON.stringify({ ...options, choices })
}
