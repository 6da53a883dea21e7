import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { readJson } from '../../json/read-json'
import { parseFilter, unknownColumn } from '../../query/filter'
import { parseSort } from '../../query/sort'
import type { Table } from '../schema/schema'
import {
  storeColumns,
  storeFilter,
  storeSort,
  storeSummaries,
  type ColumnSummary,
  type FilterJson,
  type ViewColumn,
} from './view-columns'
import { storeForm, type FormSettings } from './view-form'
import type { ViewRow } from './view-rows'

/** Characters of a filter as JSON. */
const MAX_FILTER = 16_384
/** Bytes of a form as JSON. */
const MAX_FORM = 262_144
/** Most characters of a name. */
export const MAX_NAME = 100
const MAX_DESCRIPTION = 2_000
const MAX_FROZEN = 100
/** Most columns by which the rows of a view are grouped. */
const MAX_GROUP_KEYS = 3
const WIDTH = { min: 20, max: 2_000 }
const ROW_HEIGHTS = ['short', 'medium', 'tall']
const TYPES = ['grid', 'board', 'form']
const SUMMARIES = ['filled', 'empty', 'unique', 'sum', 'average', 'min', 'max']

/** What a view shows. */
export interface ViewFields {
  readonly name: string
  readonly type: string
  readonly position: number
  readonly description: string
  readonly filter: FilterJson
  /** Sort keys in the form of the records API. */
  readonly sort: readonly string[]
  readonly columns: readonly ViewColumn[]
  readonly frozenColumns: number
  readonly rowHeight: string
  readonly wrapText: boolean
  /** Sort keys of the columns by which rows are grouped, outermost first. */
  readonly groupBy: readonly string[]
  readonly summaries: readonly ColumnSummary[]
  /** What a view of type `form` asks for. */
  readonly form: FormSettings
}

/** Fields of a view to set; absent ones keep their value or take the default. */
export type ViewChange = {
  readonly [key in keyof Omit<ViewFields, 'filter' | 'form'>]?: ViewFields[key] | undefined
} & {
  /** JSON in the form of the records API. */
  readonly filter?: Uint8Array | undefined
  /** JSON of FormSettings, of which parts may be absent. */
  readonly form?: Uint8Array | undefined
}

/** What a new view has unless it is given. */
export const newView = {
  name: '',
  type: 'grid',
  description: '',
  filter: '',
  sort: '',
  columns: '',
  frozenColumns: 0,
  rowHeight: 'short',
  wrapText: 0,
  groupBy: '',
  summaries: '',
  form: '',
}

type Stored = {
  readonly [key in keyof ViewFields]: (
    value: Exclude<ViewChange[key], undefined>,
    table: Table,
  ) => ViewRow[key]
}

/** How each field is checked and stored. */
const stored: Stored = {
  name: checkName,
  type: (type) => checkOneOf('type', type, TYPES),
  position: checkPosition,
  description: checkDescription,
  filter: checkFilter,
  sort: (keys, table) => storeSort(table, parseSort(keys, table)),
  columns: checkColumns,
  frozenColumns: checkFrozen,
  rowHeight: (height) => checkOneOf('rowHeight', height, ROW_HEIGHTS),
  wrapText: Number,
  groupBy: checkGroupBy,
  summaries: checkSummaries,
  form: checkForm,
}

/** A view with other fields. Throws `invalid` for a field. */
export function changeView(table: Table, row: ViewRow, change: ViewChange): ViewRow {
  const fields = Object.keys(stored) as (keyof ViewFields)[]
  const set = fields.flatMap((field) => {
    const value = change[field]
    if (value === undefined) return []
    const store = stored[field] as (value: unknown, table: Table) => ViewRow[typeof field]
    return [[field, store(value, table)] as const]
  })
  return { ...row, ...Object.fromEntries(set) }
}

/** The error of a field of a view that is not as it must be. */
export function badField(field: string, fault: string): AppError {
  return new AppError('invalid', 'BAD_FIELD', `${field} of a view ${fault}`, { field })
}

function checkName(name: string): string {
  if (name.trim() === '' || name.length > MAX_NAME)
    throw badField('name', `must have 1 to ${MAX_NAME} characters`)
  return name
}

function checkOneOf(field: string, value: string, allowed: readonly string[]): string {
  if (!allowed.includes(value)) throw badField(field, `must be one of ${allowed.join(', ')}`)
  return value
}

function checkPosition(position: number): number {
  if (!Number.isFinite(position)) throw badField('position', 'must be a finite number')
  // The log has no negative zero.
  return position + 0
}

function checkDescription(description: string): string {
  if (description.length > MAX_DESCRIPTION)
    throw badField('description', `must not have more than ${MAX_DESCRIPTION} characters`)
  return description
}

function checkFilter(json: Uint8Array, table: Table): string {
  if (json.length > MAX_FILTER)
    throw badField('filter', `must not have more than ${MAX_FILTER} bytes as JSON`)
  if (parseFilter(json, table).size === 0) return ''
  return storeFilter(table, JSON.parse(Buffer.from(json).toString()) as FilterJson)
}

function checkForm(json: Uint8Array, table: Table): string {
  if (json.length > MAX_FORM)
    throw badField('form', `must not have more than ${MAX_FORM} bytes as JSON`)
  return storeForm(table, readJson(json, 'form'))
}

function checkColumns(columns: readonly ViewColumn[], table: Table): string {
  requireShown('columns', columns, table)
  for (const { width } of columns) {
    if (width === undefined) continue
    if (!Number.isSafeInteger(width) || width < WIDTH.min || width > WIDTH.max)
      throw badField('columns', `must have widths from ${WIDTH.min} to ${WIDTH.max}`)
  }
  return storeColumns(table, columns)
}

function checkSummaries(summaries: readonly ColumnSummary[], table: Table): string {
  requireShown('summaries', summaries, table)
  for (const { summary } of summaries) checkOneOf('summaries', summary, SUMMARIES)
  return storeSummaries(table, summaries)
}

/** Throws `invalid` unless each item names another column of the table that people see. */
function requireShown(field: string, items: readonly { readonly id: string }[], table: Table) {
  const seen = new Set<string>()
  for (const { id } of items) {
    if (table.byId.get(id)?.hidden ?? true) throw unknownColumn(id, table)
    if (seen.has(id)) throw badField(field, `must not name column "${shorten(id)}" twice`)
    seen.add(id)
  }
}

function checkGroupBy(keys: readonly string[], table: Table): string {
  if (keys.length > MAX_GROUP_KEYS)
    throw badField('groupBy', `must not have more than ${MAX_GROUP_KEYS} columns`)
  const parsed = parseSort(keys, table)
  requireShown(
    'groupBy',
    parsed.map(({ column }) => ({ id: column })),
    table,
  )
  return storeSort(table, parsed)
}

function checkFrozen(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0 || count > MAX_FROZEN)
    throw badField('frozenColumns', `must be a whole number from 0 to ${MAX_FROZEN}`)
  return count
}
