import { AppError } from '@sheaf/kit/errors'
import { specSql } from '../export/cell-spec'
import { isLocale } from '../export/number-style'
import { quoteId, quoteText } from '../quoting/quote'
import type { ColumnType, StoredValue } from '../values/column-type'
import { columnSql, isErrorSql, type ReadColumn } from '../values/error-cells'
import { numberJsonSql } from '../values/numbers/number-storage'
import { isTaggedSql } from '../values/tagged-text'
import type { Condition } from './allowed-values'
import { containsSql, lowerSql, lowerText } from './text-tests'
import { canContain, foldText, type ValueDisplay } from './value-display'

/** A text to search for in the cells of a row, and the columns to look at. */
export interface Search {
  readonly text: string
  readonly columns: readonly SearchedColumn[]
}

/** A column whose cells are searched. */
export interface SearchedColumn extends ReadColumn {
  readonly type: ColumnType
  /** Zone of a DateTime. */
  readonly zone: string
  /** How numbers and dates are shown; absent if as in CSV answers. */
  readonly display?: ValueDisplay
  /** What references, or attachments, show of the rows that they name; absent where they show row ids. */
  readonly shown?: {
    readonly tableId: string
    readonly column: SearchedColumn
    /** True when the row ids are found as well. */
    readonly withIds?: boolean
  }
}

/** Maximum length of a search text. */
const MAX_TEXT = 200
/** Alias of the rows that references name. */
const SHOWN = '_shown'
/** Characters that JSON may escape. */
// eslint-disable-next-line no-control-regex -- JSON escapes control characters
const ESCAPED = /["\\\x00-\x1f\x7f\ud800-\udfff]/
const NEVER: Condition = { sql: '0', params: [], needsScan: true }

/** Throws AppError `invalid` for a text that is empty or too long. */
export function requireSearchText(text: string): void {
  if (text.length > 0 && text.length <= MAX_TEXT) return
  throw new AppError('invalid', 'BAD_FIELD', `search must have 1 to ${MAX_TEXT} characters`)
}

/**
 * Reads the language of a reader: undefined for none, and for one in which nothing can be shown. Throws AppError `invalid` for
 * text that is no language tag.
 */
export function readSearchLocale(locale: string | undefined): string | undefined {
  if (locale === undefined || isLocale(locale)) return locale
  if (isLanguageTag(locale)) return undefined
  throw new AppError('invalid', 'BAD_FIELD', 'search.locale must be a language tag, such as en-GB')
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

/** What is looked for: in lower case, and undefined in texts that cannot contain it. */
interface Needle {
  readonly text: string
  readonly inDisplays: string
  readonly inNumbers: string | undefined
  readonly inDates: string | undefined
  readonly inTimes: string | undefined
}

function readNeedle(given: string): Needle {
  const text = lowerText(given)
  const ifOf = (characters: RegExp) => (characters.test(text) ? text : undefined)
  return {
    text,
    inDisplays: foldText(given),
    inNumbers: ifOf(/^[\d.e+-]+$/),
    inDates: ifOf(/^[\d-]+$/),
    inTimes: ifOf(/^[\d: -]+$/),
  }
}

/**
 * Returns the condition that the text of a cell contains the text, ignoring case. The text of a cell is that of the CSV
 * answers, with dates and times as `2024-03-01 14:30:00` in the zone of the column; numbers and dates also have the one of
 * their display, and each item of a list has its own. Truth values and errors have none. A reference has that of the cell it
 * shows.
 * @param prefix of the columns of the table, which must distinguish them from those of other tables
 */
export function searchCondition({ text, columns }: Search, prefix: string): Condition {
  const needle = readNeedle(text)
  return anyOf(columns.map((column) => cellCondition(column, needle, prefix)))
}

/** Alternatives as a balanced tree, since SQLite limits the depth of expressions. */
function anyOf(conditions: readonly Condition[]): Condition {
  const [first, second] = conditions
  if (!first || !second) return first ?? NEVER
  const half = conditions.length >> 1
  return either(anyOf(conditions.slice(0, half)), anyOf(conditions.slice(half)))
}

function either(one: Condition, other: Condition): Condition {
  if (one === NEVER) return other
  if (other === NEVER) return one
  return scan(`(${one.sql} OR ${other.sql})`, ...one.params, ...other.params)
}

function scan(sql: string, ...params: readonly StoredValue[]): Condition {
  return { sql, params: [...params], needsScan: true }
}

function cellCondition(column: SearchedColumn, needle: Needle, prefix: string): Condition {
  if (column.stopped) return NEVER
  const cell = columnSql(column, prefix)
  const condition = valueCondition(column, needle, cell)
  if (!column.type.errorJsonSql || condition === NEVER) return condition
  return scan(`iif(${isErrorSql(cell)},0,${condition.sql})`, ...condition.params)
}

/** The condition for a cell that is not an error. */
function valueCondition(column: SearchedColumn, needle: Needle, cell: string): Condition {
  switch (column.type.storage) {
    case 'text':
      return scan(containsSql(lowerSql(cell)), needle.text)
    case 'list':
      return listCondition(column, needle, cell)
    case 'any': {
      const others = byKind(cell, numberCondition(column, needle, cell), needle)
      const test = `sheaf_any_finds(${cell},?)`
      return scan(`iif(${isTaggedSql(cell)},${test},${others.sql})`, needle.text, ...others.params)
    }
    case 'number':
      return byKind(cell, numberCondition(column, needle, cell), needle)
  }
}

/** The condition for a cell that holds text or a number. */
function byKind(cell: string, number: Condition, { text }: Needle): Condition {
  const isText = `typeof(${cell})='text'`
  const inText = containsSql(lowerSql(cell))
  if (number === NEVER) return scan(`(${isText} AND ${inText})`, text)
  return scan(`iif(${isText},${inText},${number.sql})`, text, ...number.params)
}

/** How much longer a formatted cell takes than another one. */
const FORMATTING = 10

/** What it costs to search a row, in cells that are not formatted. */
export function searchCost({ text, columns }: Search): number {
  const folded = foldText(text)
  const costs = columns.map(({ display, shown }) => {
    const format = display ?? shown?.column.display
    return format && canContain(format, folded) ? FORMATTING : 1
  })
  return costs.reduce((sum, cost) => sum + cost, 0)
}

function numberCondition(column: SearchedColumn, needle: Needle, cell: string): Condition {
  const { display } = column
  const plain = plainCondition(column, needle, cell)
  if (!display || !canContain(display, needle.inDisplays)) return plain
  const spec = specSql({ display, text: needle.inDisplays })
  return either(plain, scan(`sheaf_display_finds(${cell},${spec})`))
}

function plainCondition(column: SearchedColumn, needle: Needle, cell: string): Condition {
  const { type, zone, shown } = column
  const { inNumbers, inDates, inTimes } = needle
  const within = (sql: string, text: string | undefined) =>
    text === undefined ? NEVER : scan(containsSql(sql), text)
  if (shown) {
    const named = shownCondition(shown, needle, `${SHOWN}.id=${cell}`)
    return shown.withIds ? either(named, within(cell, inNumbers)) : named
  }
  switch (type.name) {
    case 'Bool':
      return NEVER
    case 'Date':
      return within(dateSql(cell), inDates)
    case 'DateTime':
      return within(`sheaf_local_time(${cell},${quoteText(zone)})`, inTimes)
    default:
      return within(numberJsonSql(cell), inNumbers)
  }
}

/** Whole seconds, which most dates are, without a call of a function of ours. */
function dateSql(cell: string): string {
  const other = `sheaf_local_date(${cell},'UTC')`
  return `iif(typeof(${cell})='integer',date(${cell},'unixepoch'),${other})`
}

function listCondition({ shown }: SearchedColumn, needle: Needle, cell: string): Condition {
  const items = itemsCondition(needle, cell)
  if (!shown) return items
  const isNamed = `${SHOWN}.id IN (SELECT value FROM json_each(${cell}))`
  const byText = shownCondition(shown, needle, isNamed)
  const named = shown.withIds ? either(byText, items) : byText
  const isList = `${cell}>='[' AND ${cell}<'\\'`
  return scan(`iif(${isList},${named.sql},${items.sql})`, ...named.params, ...items.params)
}

/** Most lists are excluded by their JSON, which contains text as it is, unless it has characters that JSON escapes. */
function itemsCondition({ text }: Needle, cell: string): Condition {
  const items = `sheaf_list_finds(${cell},?)`
  if (ESCAPED.test(text)) return scan(items, text)
  return scan(`(${containsSql(lowerSql(cell))} AND ${items})`, text, text)
}

/** The condition that a row that the reference names shows the text. */
function shownCondition(
  { tableId, column }: NonNullable<SearchedColumn['shown']>,
  needle: Needle,
  isNamed: string,
): Condition {
  const condition = cellCondition(column, needle, `${SHOWN}.`)
  if (condition === NEVER) return NEVER
  const rows = `SELECT 1 FROM ${quoteId(tableId)} ${SHOWN} WHERE ${isNamed}`
  return scan(`EXISTS (${rows} AND ${condition.sql})`, ...condition.params)
}
