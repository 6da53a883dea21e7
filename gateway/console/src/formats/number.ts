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
  const isPlain = [numMode, decimals, maxDecimals].every((option) => option === undefined)
  const magnitude = Math.abs(value)
  if (isPlain && magnitude !== 0 && (magnitude >= LARGE || magnitude < SMALL))
    return numberText(value, locale)
  const key = JSON.stringify([locale, numMode, decimals, maxDecimals, currency])
  const format = formats.get(key) ?? createFormat(options, locale)
  formats.set(key, format)
  return numSign === 'parens' && value < 0 ? `(${format.format(-value)})` : format.format(value)
}

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
    case 'currency':
      return { style: 'currency', currency: readCurrency(currency) }
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

const readCurrency = (currency: unknown): string =>
  typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'USD'

const readDecimals = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.min(MAX_DECIMALS, Math.max(0, Math.trunc(value)))
    : undefined

/** Returns the editable text of a number: all digits, with the decimal separator of the locale. */
export function numberText(value: number, locale?: string): string {
  return String(value).replace('.', symbolsOf(locale).decimal)
}

/** Parses a number in the locale. Returns undefined for other text, which the API may still accept. */
export function readNumber(text: string, locale?: string): number | undefined {
  const { decimal, group, digits } = symbolsOf(locale)
  const plain = [...text.trim().replace(MARKS, '')]
    .map((sign) => {
      const digit = digits.indexOf(sign)
      if (digit >= 0) return String(digit)
      if (sign === '\u2212') return '-'
      return /\s/.test(sign) ? ' ' : sign
    })
    .join('')
  const between = /\s/.test(group) ? ' ' : escape(group)
  const whole = `\\d{1,3}(?:${between}\\d{2,3})*${between}\\d{3}|\\d*`
  const pattern = new RegExp(`^([+-]?)(${whole})(?:${escape(decimal)}(\\d*))?(e[+-]?\\d+)?$`, 'i')
  const [, sign = '', before = '', after = '', exponent = ''] = pattern.exec(plain) ?? []
  const integer = before.replace(/\D/g, '')
  if (integer === '' && after === '') return undefined
  const value = Number(`${sign}${integer || '0'}.${after || '0'}${exponent}`)
  return Number.isFinite(value) ? value : undefined
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
