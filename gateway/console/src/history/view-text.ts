import type { Column } from '../api/resources'
import { columnName } from '../formats/column'
import { describeFilter } from '../grid/filter/filter-text'
import type { Filter } from '../grid/view/grid-view'

const names: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  filter: 'Filter',
  sort: 'Sort order',
  columns: 'Columns',
  frozenColumns: 'Frozen columns',
  rowHeight: 'Row height',
  wrapText: 'Wrap text',
  groupBy: 'Groups',
  summaries: 'Summaries',
  form: 'Form',
}

/** Returns the display name of a setting of a view. */
export const settingName = (setting: string): string => names[setting] ?? setting

/** Describes the stored value of a setting of a view in words. `columns` are those of its table. */
export function settingText(setting: string, value: unknown, columns: readonly Column[]): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return value.toLocaleString()
  if (typeof value !== 'string' || value === '') return ''
  // Views name columns by their refs.
  const byRef = columns.map((column) => ({
    id: `c${column.fields.colRef}`,
    fields: { ...column.fields, label: columnName(column) },
  }))
  const nameOf = (ref = '') => byRef.find(({ id }) => id === ref)?.fields.label ?? ref
  switch (setting) {
    case 'filter':
      return describeFilter(JSON.parse(value) as Filter, byRef)
    case 'sort':
    case 'groupBy':
      return (JSON.parse(value) as string[]).map((key) => sortText(key, nameOf)).join(', ')
    case 'columns':
      return (JSON.parse(value) as StoredColumn[]).map((one) => columnText(one, nameOf)).join(', ')
    case 'summaries':
      return Object.entries(JSON.parse(value) as Record<string, string>)
        .map(([ref, summary]) => `${nameOf(ref)}: ${summary}`)
        .join(', ')
    case 'form':
      return formText(JSON.parse(value) as StoredForm, nameOf)
    default:
      return value
  }
}

/** Describes a key such as `-c12:naturalSort`. */
function sortText(key: string, nameOf: (ref: string) => string): string {
  const [ref = '', options = ''] = key.replace(/^-/, '').split(':')
  const direction = key.startsWith('-') ? '↓' : '↑'
  return `${nameOf(ref)} ${direction}${options === '' ? '' : ` (${options.replaceAll(';', ', ')})`}`
}

interface StoredForm {
  readonly title: string
  readonly fields: readonly {
    readonly column: string
    readonly label: string
    readonly required: boolean
  }[]
}

function formText({ title, fields }: StoredForm, nameOf: (ref: string) => string): string {
  const asked = fields.map(
    ({ column, label, required }) => `${label || nameOf(column)}${required ? ' (required)' : ''}`,
  )
  return [...(title === '' ? [] : [`“${title}”`]), ...asked].join(', ')
}

interface StoredColumn {
  readonly column: string
  readonly width?: number
  readonly hidden?: boolean
}

function columnText(stored: StoredColumn, nameOf: (ref: string) => string): string {
  const { column, width, hidden = false } = stored
  const notes = [...(hidden ? ['hidden'] : []), ...(width === undefined ? [] : [`${width} px`])]
  return nameOf(column) + (notes.length === 0 ? '' : ` (${notes.join(', ')})`)
}
