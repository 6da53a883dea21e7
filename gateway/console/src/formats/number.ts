import type { WidgetOptions } from './widget-options'

/** Default maximum number of decimals. */
const DECIMALS = 10
const MAX_DECIMALS = 20
/** Numbers beyond these limits are shown with an exponent, unless the column has a number format. */
const LARGE = 1e15
const SMALL = 1e-10

/** Directional marks that some locales put before a sign. */
const MARKS = /[\u061c\u200e\u200f]/g

interface Symbols {
  readonly decimal: string
  readonly group: string
  /** The digits 0 to 9 of the locale. */
  readonly digits: readonly string[]
}

const symbols = new Map<string, Symbols>()
const formats = new Map<string, Intl.NumberFormat>()

/** Formats a number for display, in the number format of the column. */
export function formatNumber(value: number, options: WidgetOptions, locale?: string): string {
  const { numMode, numSign, decimals, maxDecimals, currency } = options
  const magnitude = Math.abs(value)
  if (!hasNumberFormat(options) && magnitude !== 0 && (magnitude >= LARGE || magnitude < SMALL))
    return numberText(value, locale)
  const key = JSON.stringify([locale, numMode, decimals, maxDecimals, currency])
  const format = formats.get(key) ?? createFormat(options, locale)
  formats.set(key, format)
  return numSign === 'parens' && value < 0 ? `(${format.format(-value)})` : format.format(value)
}

/** True if a column has a number format. */
export const hasNumberFormat = ({ numMode, decimals, maxDecimals }: WidgetOptions): boolean =>
  [numMode, decimals, maxDecimals].some((option) => option !== undefined)

function createFormat(options: WidgetOptions, locale?: string): Intl.NumberFormat {
  const mode = modeOptions(options)
  const own = new Intl.NumberFormat(locale, mode).resolvedOptions()
  const least = readDecimals(options.decimals)
  const fallback = options.numMode === undefined ? DECIMALS : (own.maximumFractionDigits ?? 0)
  const most = readDecimals(options.maxDecimals) ?? Math.max(least ?? 0, fallback)
  return new Intl.NumberFormat(locale, {
    ...mode,
    minimumFractionDigits: Math.min(least ?? own.minimumFractionDigits ?? 0, most),
    maximumFractionDigits: most,
  })
}

function modeOptions({ numMode, currency }: WidgetOptions): Intl.NumberFormatOptions {
  switch (numMode) {
    case 'currency': {
      const code = readCurrency(currency)
      if (code === undefined) return AMOUNT
      return { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' }
    }
    case 'decimal':
      return { useGrouping: true }
    case 'percent':
      return { style: 'percent' }
    case 'scientific':
      return { notation: 'scientific' }
    default:
      return { useGrouping: false }
  }
}

/** An amount in a currency that is not known. */
const AMOUNT = { minimumFractionDigits: 2, maximumFractionDigits: 2 }

/** Returns the code of a currency; undefined for other values. */
export const readCurrency = (currency: unknown): string | undefined =>
  typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : undefined

const readDecimals = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.min(MAX_DECIMALS, Math.max(0, Math.trunc(value)))
    : undefined

/** Returns the editable text of a number: all digits, with the decimal separator of the locale. */
export function numberText(value: number, locale?: string): string {
  return String(value).replace('.', symbolsOf(locale).decimal)
}

/** Returns the editable text of a number of a column: a percentage in a column of percentages. */
export function editedText(value: number, { numMode }: WidgetOptions, locale?: string): string {
  if (numMode !== 'percent' || !Number.isFinite(value)) return numberText(value, locale)
  return `${hundredfold(value).replace('.', symbolsOf(locale).decimal)}%`
}

/** Moves the decimal point, since a product may have other digits: 0.07 × 100 is 7.000000000000001. */
function hundredfold(value: number): string {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const moved = `${digits}e${Number(exponent) + 2}`
  const short = String(Number(moved))
  // A short form may have been rounded.
  return shifted(short, -2) === value ? short : moved
}

const shifted = (text: string, digitsMoved: number): number => {
  const [digits = '', exponent = '0'] = text.split('e')
  return Number(`${digits}e${Number(exponent) + digitsMoved}`)
}

/**
 * Parses a number as a column with options shows it: with its currency, or in parentheses; without them, as `readNumber` does.
 * In a column of percentages every number is one, with or without its sign, as in other spreadsheets: `50` is 0.5, `0.5` is 0.005.
 */
export function readFormatted(
  text: string,
  options: WidgetOptions,
  locale?: string,
): number | undefined {
  const [, inside] = /^\s*\((.*)\)\s*$/.exec(text) ?? []
  const isNegative = inside !== undefined && options.numSign === 'parens'
  const unsigned = isNegative ? inside : text
  if (isNegative && /[-\u2212]/.test(unsigned)) return undefined
  const value = readAffixed(unsigned, options, locale)
  return value !== undefined && isNegative ? -value : value
}

function readAffixed(
  text: string,
  options: WidgetOptions,
  locale: string | undefined,
): number | undefined {
  switch (options.numMode) {
    case 'percent': {
      const [, digits = text] = /^([^%٪]*)[%٪]\u061c?\s*$/.exec(text) ?? []
      return readShifted(digits, -2, locale)
    }
    case 'currency': {
      const code = readCurrency(options.currency)
      return readNumber(code === undefined ? text : withoutCurrency(text, code, locale), locale)
    }
    case 'scientific':
      return readNumber(text.replace(/\s*[×·]\s*10\^/, 'e'), locale)
    default:
      return readNumber(text, locale)
  }
}

function withoutCurrency(text: string, currency: string, locale: string | undefined): string {
  const signs = (['symbol', 'narrowSymbol', 'code'] as const).map((currencyDisplay) =>
    new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay })
      .formatToParts(0)
      .find(({ type }) => type === 'currency'),
  )
  const found = signs.find((sign) => sign && text.includes(sign.value))
  return found ? text.replace(found.value, '').replace(/^(\s*[-+\u2212]?)\s+/, '$1') : text
}

/** Parses a number in the locale. Returns undefined for other text, which the API may still accept. */
export const readNumber = (text: string, locale?: string): number | undefined =>
  readShifted(text, 0, locale)

/** Parses a number whose decimal point is moved by some digits to the right. */
function readShifted(text: string, digitsMoved: number, locale?: string): number | undefined {
  const { decimal, group, digits } = symbolsOf(locale)
  const plain = toAscii(text.trim().replace(MARKS, ''), digits)
  const between = /\s/.test(group) ? ' ' : escape(group)
  const whole = `\\d{1,3}(?:${between}\\d{2,3})*${between}\\d{3}|\\d*`
  const pattern = new RegExp(`^([+-]?)(${whole})(?:${escape(decimal)}(\\d*))?(e[+-]?\\d+)?$`, 'i')
  const match = pattern.exec(plain)
  return match ? toNumber(match, digitsMoved) : undefined
}

function toNumber(
  [, sign = '', before = '', after = '', exponent = '']: RegExpExecArray,
  digitsMoved: number,
): number | undefined {
  const integer = before.replace(/\D/g, '')
  if (integer === '' && after === '') return undefined
  const power = Number(exponent.slice(1)) + digitsMoved
  const value = Number(`${sign}${integer || '0'}.${after || '0'}e${power}`)
  return Number.isFinite(value) ? value : undefined
}

/** Replaces digits of a locale, minus signs and white space. */
function toAscii(text: string, digits: readonly string[]): string {
  const signs = [...text].map((sign) => {
    const digit = digits.indexOf(sign)
    if (digit >= 0) return String(digit)
    if (sign === '\u2212') return '-'
    return /\s/.test(sign) ? ' ' : sign
  })
  return signs.join('')
}

const escape = (sign: string): string => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function symbolsOf(locale = ''): Symbols {
  const known = symbols.get(locale)
  if (known) return known
  const tag = locale === '' ? undefined : locale
  const parts = new Intl.NumberFormat(tag, { useGrouping: true }).formatToParts(12_345_678.9)
  const sign = (type: string, fallback: string) =>
    parts.find((part) => part.type === type)?.value ?? fallback
  const digit = new Intl.NumberFormat(tag, { useGrouping: false })
  const made = {
    decimal: sign('decimal', '.'),
    group: sign('group', ','),
    digits: Array.from({ length: 10 }, (_, n) => digit.format(n)),
  }
  symbols.set(locale, made)
  return made
}
