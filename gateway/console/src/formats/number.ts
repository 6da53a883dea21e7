import type { WidgetOptions } from './widget-options'

/** Digits after the point that are shown unless the column says something of them. */
const DECIMALS = 10
const MAX_DECIMALS = 20
/** Beyond these a number without a form of its own is written with an exponent. */
const LARGE = 1e15
const SMALL = 1e-10

/** What some languages put before a sign, to say in which direction it is written. */
const MARKS = /[\u061c\u200e\u200f]/g

interface Signs {
  readonly decimal: string
  readonly group: string
  /** The digits of the language, 0 to 9. */
  readonly digits: readonly string[]
}

const signs = new Map<string, Signs>()
const formats = new Map<string, Intl.NumberFormat>()

/** A number as people of the language read it, in the form that the column asks for. */
export function formatNumber(value: number, options: WidgetOptions, locale?: string): string {
  const { numMode, numSign, decimals, maxDecimals, currency } = options
  const isPlain = [numMode, decimals, maxDecimals].every((option) => option === undefined)
  const size = Math.abs(value)
  if (isPlain && size !== 0 && (size >= LARGE || size < SMALL)) return numberText(value, locale)
  const key = JSON.stringify([locale, numMode, decimals, maxDecimals, currency])
  const format = formats.get(key) ?? createFormat(options, locale)
  formats.set(key, format)
  return numSign === 'parens' && value < 0 ? `(${format.format(-value)})` : format.format(value)
}

function createFormat(options: WidgetOptions, locale?: string): Intl.NumberFormat {
  const mode = modeOptions(options)
  const own = new Intl.NumberFormat(locale, mode).resolvedOptions()
  const least = readDecimals(options.decimals)
  const usual = options.numMode === undefined ? DECIMALS : (own.maximumFractionDigits ?? 0)
  const most = readDecimals(options.maxDecimals) ?? Math.max(least ?? 0, usual)
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

/** A number as it is edited: all of its digits, with the decimal sign of the language. */
export function numberText(value: number, locale?: string): string {
  return String(value).replace('.', signsOf(locale).decimal)
}

/** The number that a text is in the language; undefined for any other text, which the API may still read as one. */
export function readNumber(text: string, locale?: string): number | undefined {
  const { decimal, group, digits } = signsOf(locale)
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
  const form = new RegExp(`^([+-]?)(${whole})(?:${escape(decimal)}(\\d*))?(e[+-]?\\d+)?$`, 'i')
  const [, sign = '', before = '', after = '', exponent = ''] = form.exec(plain) ?? []
  const integer = before.replace(/\D/g, '')
  if (integer === '' && after === '') return undefined
  const value = Number(`${sign}${integer || '0'}.${after || '0'}${exponent}`)
  return Number.isFinite(value) ? value : undefined
}

const escape = (sign: string): string => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function signsOf(locale = ''): Signs {
  const known = signs.get(locale)
  if (known) return known
  const tag = locale === '' ? undefined : locale
  const parts = new Intl.NumberFormat(tag, { useGrouping: true }).formatToParts(12_345_678.9)
  const sign = (type: string, usual: string) =>
    parts.find((part) => part.type === type)?.value ?? usual
  const digit = new Intl.NumberFormat(tag, { useGrouping: false })
  const made = {
    decimal: sign('decimal', '.'),
    group: sign('group', ','),
    digits: Array.from({ length: 10 }, (_, n) => digit.format(n)),
  }
  signs.set(locale, made)
  return made
}
