import type { Column } from '../api/resources'
import { readChoices, readOptions } from '../formats/widget-options'

/** Names of column types for people, by the name that the API knows. */
export const typeNames: readonly (readonly [string, string])[] = [
  ['Text', 'Text'],
  ['Numeric', 'Number'],
  ['Int', 'Whole number'],
  ['Bool', 'Yes or no'],
  ['Date', 'Date'],
  ['DateTime', 'Date and time'],
  ['Choice', 'Choice'],
  ['ChoiceList', 'Several choices'],
  ['Ref', 'Reference to a row'],
  ['RefList', 'References to rows'],
  ['Attachments', 'Files'],
  ['Any', 'Anything'],
]

/** A column as a form has it. */
export interface ColumnDraft {
  readonly label: string
  /** Type without its argument. */
  readonly type: string
  /** Time zone, for DateTime. */
  readonly zone: string
  /** Table, for Ref and RefList. */
  readonly refTable: string
  /** Column that references show; 0 for the usual one. */
  readonly visibleCol: number
  /** A choice on each line, for Choice and ChoiceList. */
  readonly choices: string
}

/** Fields of a column as the API takes them. */
export interface ColumnFields {
  readonly label?: string
  readonly type?: string
  readonly isFormula?: boolean
  readonly widgetOptions?: string
  readonly visibleCol?: number
}

/** The zone of this browser. */
const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** What a form begins with for a new column. */
export const newDraft = (): ColumnDraft => ({
  label: '',
  type: 'Text',
  zone: ownZone(),
  refTable: '',
  visibleCol: 0,
  choices: '',
})

/** What a form begins with for a column that is there. */
export function draftOf({ fields }: Column): ColumnDraft {
  const [name = '', argument = ''] = fields.type.split(':')
  const type = typeNames.some(([known]) => known === name) ? name : fields.type
  return {
    label: fields.label,
    type,
    zone: type === 'DateTime' && argument !== '' ? argument : ownZone(),
    refTable: isRef(type) ? argument : '',
    visibleCol: fields.visibleCol,
    choices: readChoices(readOptions(fields.widgetOptions)).join('\n'),
  }
}

/** True for types that name a table. */
export const isRef = (type: string): boolean => type === 'Ref' || type === 'RefList'

/** True for types that have choices. */
export const isChoice = (type: string): boolean => type === 'Choice' || type === 'ChoiceList'

/** The type of a draft as the API writes it. */
export function typeOf({ type, zone, refTable }: ColumnDraft): string {
  if (type === 'DateTime') return `DateTime:${zone}`
  return isRef(type) ? `${type}:${refTable}` : type
}

/** What a new column is made with. */
export function newFields(draft: ColumnDraft): ColumnFields {
  return {
    label: draft.label.trim(),
    type: typeOf(draft),
    isFormula: false,
    ...(isChoice(draft.type) && { widgetOptions: withChoices('', draft.choices) }),
    ...(isRef(draft.type) && { visibleCol: draft.visibleCol }),
  }
}

/** What of a column has changed. */
export function changedFields(column: Column, draft: ColumnDraft): ColumnFields {
  const { label, type, widgetOptions, visibleCol } = column.fields
  const choices = isChoice(draft.type) ? withChoices(widgetOptions, draft.choices) : widgetOptions
  const wanted = { ...newFields(draft), widgetOptions: choices }
  const shown = isRef(draft.type) ? draft.visibleCol : 0
  return {
    ...(wanted.label !== label && { label: wanted.label }),
    ...(wanted.type !== type && { type: wanted.type }),
    ...(wanted.widgetOptions !== widgetOptions && { widgetOptions: wanted.widgetOptions }),
    ...(shown !== visibleCol && { visibleCol: shown }),
  }
}

/** Choices from lines of text: trimmed, each once. */
function splitChoices(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}

/** Widget options with these choices; unchanged ones, and all else, stay as they were written. */
function withChoices(widgetOptions: string, text: string): string {
  const options = readOptions(widgetOptions)
  const choices = splitChoices(text)
  if (JSON.stringify(choices) === JSON.stringify(readChoices(options))) return widgetOptions
  return JSON.stringify({ ...options, choices })
}
