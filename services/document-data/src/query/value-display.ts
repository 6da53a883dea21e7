import { withSpec } from '../export/cell-spec'
import { ownFormats, DATE_FORMAT, TIME_FORMAT } from '../export/display'
import { numberText, readNumberStyle, type NumberStyle } from '../export/number-style'
import type { ColumnType } from '../values/column-type'
import { dateDisplayText, INSTANTS, type DateDisplay } from './date-display'
import { keptByKey } from './kept-values'
import { lowerText } from './text-tests'

/** How a column shows numbers or dates where that differs from CSV answers. Plain data, passed by SQL as JSON. */
export type ValueDisplay = { readonly as: 'number'; readonly style: NumberStyle } | DateDisplay

/** What decides how a column shows its values. */
interface DisplayedColumn {
  readonly type: ColumnType
  readonly options: Readonly<Record<string, unknown>>
  readonly zone: string
}

/** The language of the reader, if known; otherwise numbers with a format are shown in the usual one. */
interface Locales {
  readonly locale: string | undefined
  readonly usual: string
}

/**
 * Returns how a column shows numbers or dates; undefined if as in CSV answers.
 */
export function valueDisplayOf(
  { type, options, zone }: DisplayedColumn,
  { locale, usual }: Locales,
): ValueDisplay | undefined {
  const { date, time } = ownFormats(options)
  switch (type.name) {
    case 'Numeric':
    case 'Int':
      return numberDisplay(type.name, options, { locale, usual })
    case 'Date':
      if (date !== undefined) return { as: 'format', date, time: '', zone: 'UTC' }
      return locale === undefined
        ? undefined
        : { as: 'locale', locale, zone: 'UTC', withTime: false }
    case 'DateTime':
      if (date !== undefined || time !== undefined)
        return { as: 'format', date: date ?? DATE_FORMAT, time: time ?? TIME_FORMAT, zone }
      return locale === undefined ? undefined : { as: 'locale', locale, zone, withTime: true }
    default:
      return undefined
  }
}

/** Without a format, numbers differ by their decimal mark and digits only. */
function numberDisplay(
  type: string,
  options: DisplayedColumn['options'],
  { locale, usual }: Locales,
): ValueDisplay | undefined {
  const own = locale ?? usual
  const given = readNumberStyle(options, own)
  const style = given && type === 'Int' ? readNumberStyle({ decimals: 0, ...options }, own) : given
  if (style) return { as: 'number', style }
  return locale === undefined ? undefined : plainDisplayOf(locale)
}

/** Languages whose display of numbers without a format is kept, and displays whose alphabets are. */
const MAX_LOCALES = 100
const MAX_ALPHABETS = 1_000

const plainDisplayOf = keptByKey(MAX_LOCALES, (locale): ValueDisplay | undefined => {
  const style = { locale }
  return numberText(1.5, style) === '1.5' ? undefined : { as: 'number', style }
})

const FOLDED = /[\u061c\u200e\u200f\u00a0\u2007\u2009\u202f\u2212]/

/** Converts text to the form in which displayed values are compared: any space and minus is as good as another. */
export function foldText(text: string): string {
  const lower = lowerText(text)
  if (!FOLDED.test(lower)) return lower
  return lower
    .replace(/[\u061c\u200e\u200f]/g, '')
    .replace(/[\u00a0\u2007\u2009\u202f]/g, ' ')
    .replaceAll('\u2212', '-')
}

/** Returns the text of a value. */
function valueText(value: number, display: ValueDisplay): string {
  return display.as === 'number'
    ? numberText(value, display.style)
    : dateDisplayText(value, display)
}

/** Whether a number is shown with some folded text in it; registered with SQLite as `sheaf_display_finds`. */
export const displayFinds = withSpec(
  (value: unknown, { display, text }: { readonly display: ValueDisplay; readonly text: string }) =>
    typeof value === 'number' && foldText(valueText(value, display)).includes(text) ? 1 : 0,
)

/** What texts of a display consist of. */
interface Alphabet {
  readonly words: readonly string[]
  readonly signs: string
  /** Most digits without another character between. */
  readonly digits: number
}

/** False if no value is shown with the folded text in it, which saves to format all cells. */
export function canContain(display: ValueDisplay, text: string): boolean {
  // Abbreviations of time zones have changed over the years.
  if (display.as === 'format' && /z/i.test(display.date + display.time)) return true
  const { words, signs, digits } = alphabetOf(JSON.stringify(display))
  const runs = text.match(/\p{L}+|\p{Nd}+|[^\p{L}\p{Nd}]/gu) ?? []
  return runs.every((run) => {
    if (/\p{Nd}/u.test(run)) return run.length <= digits
    return /\p{L}/u.test(run) ? words.some((word) => word.includes(run)) : signs.includes(run)
  })
}

const alphabetOf = keptByKey(MAX_ALPHABETS, (json): Alphabet => {
  const display = JSON.parse(json) as ValueDisplay
  const samples = display.as === 'number' ? NUMBERS : INSTANTS
  const text = samples.map((value) => foldText(valueText(value, display))).join('\n')
  const runs = text.match(/\p{Nd}+/gu) ?? []
  return {
    words: [...new Set(text.match(/\p{L}+/gu) ?? [])],
    signs: text.replace(/[\p{L}\p{Nd}\n]/gu, ''),
    digits: Math.max(...runs.map(({ length }) => length)),
  }
})

/**
 * Numbers of all signs, with as many digits as there can be, and with four digits, also as a percentage: some languages group
 * digits only from five on.
 */
const NUMBERS = [0, 1234.5, -12.345, -1 / 3, 1e-20 / 3, 1e300 / 3, -1e-7, Infinity, -Infinity, NaN]
