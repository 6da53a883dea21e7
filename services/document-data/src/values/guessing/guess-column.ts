import type { Cell, ColumnContext, DocumentSettings } from '../column-type'
import { MAX_DATE_TEXT, readIsoDate, readLooseDate, splitTime } from '../dates/date-parts'
import { readLocalNumber, readPlainNumber } from '../numbers/number-text'
import type { NumberReading } from '../numbers/number-text'
import { hasAbbreviation } from '../dates/time-zone'

/** Type and options of an empty column after the first write. */
export interface ColumnGuess {
  type: string
  /** Widget options as JSON text; absent if the values need none. */
  widgetOptions?: string
}

/** Minimum share of non-blank values that must fit. */
const ENOUGH = 0.9
/** Maximum number of values examined. */
const SAMPLE = 1000

/** A date format. */
export interface DateForm {
  dateFormat: string
  /** Whether the date part of a text has this format; `order` determines how it is parsed. */
  pattern: RegExp
  order: 'YMD' | 'MDY' | 'DMY'
}

/** Date formats in the order in which they are tried. */
export const DATE_FORMS: readonly DateForm[] = [
  { dateFormat: 'YYYY-MM-DD', pattern: /^\d{4}-\d{1,2}-\d{1,2}$/, order: 'YMD' },
  { dateFormat: 'YYYY/MM/DD', pattern: /^\d{4}\/\d{1,2}\/\d{1,2}$/, order: 'YMD' },
  { dateFormat: 'MM/DD/YYYY', pattern: /^\d{1,2}\/\d{1,2}\/\d{4}$/, order: 'MDY' },
  { dateFormat: 'DD/MM/YYYY', pattern: /^\d{1,2}\/\d{1,2}\/\d{4}$/, order: 'DMY' },
  { dateFormat: 'MM-DD-YYYY', pattern: /^\d{1,2}-\d{1,2}-\d{4}$/, order: 'MDY' },
  { dateFormat: 'DD-MM-YYYY', pattern: /^\d{1,2}-\d{1,2}-\d{4}$/, order: 'DMY' },
  { dateFormat: 'DD.MM.YYYY', pattern: /^\d{1,2}\.\d{1,2}\.\d{4}$/, order: 'DMY' },
  { dateFormat: 'MMM D YYYY', pattern: /^[a-z]{3} \d{1,2},? \d{4}$/i, order: 'MDY' },
  { dateFormat: 'MMMM D, YYYY', pattern: /^[a-z]{4,9} \d{1,2},? \d{4}$/i, order: 'MDY' },
  { dateFormat: 'D MMM YYYY', pattern: /^\d{1,2} [a-z]{3} \d{4}$/i, order: 'DMY' },
]

/**
 * Guesses the type of an empty column from the first values written to it; undefined if all are blank, in
 * which case the column stays empty. At least nine of ten values fit the guessed type; the others become kept
 * text.
 */
export function guessColumn(
  cells: readonly Cell[],
  settings: DocumentSettings,
): ColumnGuess | undefined {
  const values: (string | number | boolean | unknown[])[] = []
  for (const cell of cells) {
    if (cell !== null && cell !== '') values.push(cell)
    if (values.length === SAMPLE) break
  }
  if (values.length === 0) return undefined
  return (
    guessBool(values) ??
    guessNumeric(values, settings) ??
    guessDate(values, settings) ?? { type: 'Text' }
  )
}

function guessBool(values: readonly Cell[]): ColumnGuess | undefined {
  const fitting = values.filter((v) => typeof v === 'string' && /^(true|false)$/i.test(v.trim()))
  return fitting.length === values.length ? { type: 'Bool' } : undefined
}

function guessNumeric(
  values: readonly Cell[],
  settings: DocumentSettings,
): ColumnGuess | undefined {
  const context: ColumnContext = { settings, widgetOptions: {} }
  let fitting = 0
  let options: Record<string, unknown> | undefined
  for (const value of values) {
    if (isPlainNumber(value)) {
      fitting++
      continue
    }
    const reading = typeof value === 'string' ? readLocalNumber(value, context) : undefined
    if (!reading) continue
    fitting++
    options ??= numberOptions(reading, String(value).includes('.'))
  }
  if (fitting < values.length * ENOUGH) return undefined
  return { type: 'Numeric', ...(options ? { widgetOptions: JSON.stringify(options) } : {}) }
}

function isPlainNumber(value: Cell): boolean {
  if (typeof value === 'string') return readPlainNumber(value) !== undefined
  return typeof value === 'number' || typeof value === 'boolean'
}

/** Widget options that show numbers in the same format; undefined for a plain number. */
export function numberOptions(
  { currency, percent, grouped }: Omit<NumberReading, 'value'>,
  hasPoint: boolean,
): Record<string, unknown> | undefined {
  if (currency) return { numMode: 'currency', ...(hasPoint ? {} : { decimals: 0 }) }
  if (percent) return { numMode: 'percent' }
  return grouped ? { numMode: 'decimal' } : undefined
}

function guessDate(values: readonly Cell[], settings: DocumentSettings): ColumnGuess | undefined {
  for (const form of DATE_FORMS) {
    const dates = values.filter((v) => typeof v === 'string' && isDate(v.trim(), form)).length
    const isTimed = (v: Cell) =>
      typeof v === 'string' && isDateTime(v.trim(), form, settings.timezone)
    const times = values.filter(isTimed).length
    if (dates + times < values.length * ENOUGH) continue
    const { dateFormat } = form
    if (times === 0) return { type: 'Date', widgetOptions: JSON.stringify({ dateFormat }) }
    const timeFormat = timeFormatOf(values)
    const widgetOptions = JSON.stringify({ dateFormat, timeFormat })
    return { type: `DateTime:${settings.timezone}`, widgetOptions }
  }
  return undefined
}

/** Whether text is a day in this format. */
export function isDate(text: string, { pattern, order }: DateForm): boolean {
  if (text.length > MAX_DATE_TEXT || !pattern.test(text)) return false
  return (readIsoDate(text) ?? readLooseDate(text, order, 0)) !== undefined
}

/** Whether text is a day in this format followed by a time that a column with this zone can hold. */
export function isDateTime(text: string, form: DateForm, zone: string): boolean {
  if (text.length > MAX_DATE_TEXT) return false
  const split = splitTime(text)
  if (split === undefined || !isDate(split.date, form)) return false
  const { abbreviation } = split.time
  return abbreviation === undefined || hasAbbreviation(zone, abbreviation.toUpperCase())
}

/** Returns the time format of the first text with a time. */
export function timeFormatOf(values: readonly Cell[]): string {
  const first = values.find((v) => typeof v === 'string' && /:\d/.test(v))
  const text = typeof first === 'string' ? first : ''
  const seconds = /:\d{2}:\d/.test(text) ? ':ss' : ''
  return /[ap]\.?m\.?$/i.test(text) ? `h:mm${seconds}a` : `HH:mm${seconds}`
}
