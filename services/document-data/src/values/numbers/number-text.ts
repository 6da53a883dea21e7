import type { ColumnContext, DocumentSettings } from '../column-type'

/** Number format of a locale. */
interface NumberStyle {
  group: string
  decimal: string
  percent: string
}

/** Notation of a parsed number, used to guess the number format of a column. */
export interface NumberReading {
  value: number
  currency: boolean
  percent: boolean
  grouped: boolean
}

const styles = new Map<string, NumberStyle>()
const symbols = new Map<string, readonly string[]>()
const MAX_NUMBER_TEXT = 400

/** Currencies of regions with their own symbol; other regions have no default currency. */
const CURRENCIES: Record<string, string> = {
  US: 'USD',
  CA: 'CAD',
  AU: 'AUD',
  NZ: 'NZD',
  GB: 'GBP',
  JP: 'JPY',
  CN: 'CNY',
  IN: 'INR',
  BR: 'BRL',
  MX: 'MXN',
  CH: 'CHF',
  SE: 'SEK',
  NO: 'NOK',
  DK: 'DKK',
  PL: 'PLN',
  CZ: 'CZK',
  HU: 'HUF',
  RO: 'RON',
  RU: 'RUB',
  TR: 'TRY',
  KR: 'KRW',
  IL: 'ILS',
  ZA: 'ZAR',
  UA: 'UAH',
  AR: 'ARS',
  CL: 'CLP',
  CO: 'COP',
  TH: 'THB',
  VN: 'VND',
  ID: 'IDR',
  DE: 'EUR',
  FR: 'EUR',
  ES: 'EUR',
  IT: 'EUR',
  NL: 'EUR',
  BE: 'EUR',
  AT: 'EUR',
  IE: 'EUR',
  FI: 'EUR',
  PT: 'EUR',
  GR: 'EUR',
  SK: 'EUR',
  SI: 'EUR',
  EE: 'EUR',
  LV: 'EUR',
  LT: 'EUR',
  LU: 'EUR',
  HR: 'EUR',
  CY: 'EUR',
  MT: 'EUR',
}

/**
 * Parses text as a number like Python's float(): surrounding blanks, a decimal point, an exponent, infinity
 * and NaN. Undefined for other text.
 */
export function readPlainNumber(text: string): number | undefined {
  if (text.length > MAX_NUMBER_TEXT) return undefined
  const trimmed = text.trim()
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed)
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed)
  if (!word) return undefined
  return word[2]?.toLowerCase() === 'nan' ? NaN : word[1] === '-' ? -Infinity : Infinity
}

/**
 * Parses text as a number in the document's locale: with group separators, the column's currency sign, a
 * percent sign, or parentheses for a negative number. Undefined for text that is not a number or is
 * ambiguous.
 */
export function readLocalNumber(text: string, context: ColumnContext): NumberReading | undefined {
  if (text.length > MAX_NUMBER_TEXT) return undefined
  const trimmed = text.trim()
  if (/^0x[0-9a-f]{1,13}$/i.test(trimmed)) {
    return { value: Number(trimmed), currency: false, percent: false, grouped: false }
  }
  const style = styleOf(context.settings.locale)
  const outer = takeSign(trimmed)
  const percent = takeAffix(outer.rest, [style.percent, '%'])
  const currency = takeAffix(percent.rest, currencySymbols(context))
  // `$-5`: the sign may follow the currency, but there can be only one.
  const inner =
    currency.found && !outer.signed
      ? takeSign(currency.rest)
      : { rest: currency.rest, negative: false }
  const digits = plainDigits(inner.rest, style)
  if (!digits) return undefined
  const value = Number(digits.text) / (percent.found ? 100 : 1)
  return {
    value: outer.negative || inner.negative ? -value : value,
    currency: currency.found,
    percent: percent.found,
    grouped: digits.grouped,
  }
}

function takeSign(text: string): { rest: string; signed: boolean; negative: boolean } {
  const inParentheses = /^\((.*)\)$/s.exec(text)?.[1]
  if (inParentheses !== undefined) {
    return { rest: inParentheses.trim(), signed: true, negative: true }
  }
  const sign = /^[+\-\u2212]/.exec(text)?.[0]
  if (sign === undefined) return { rest: text, signed: false, negative: false }
  return { rest: text.slice(1), signed: true, negative: sign !== '+' }
}

function takeAffix(text: string, affixes: readonly string[]): { rest: string; found: boolean } {
  for (const affix of affixes) {
    if (text.startsWith(affix)) return { rest: text.slice(affix.length).trim(), found: true }
    if (text.endsWith(affix)) return { rest: text.slice(0, -affix.length).trim(), found: true }
  }
  return { rest: text, found: false }
}

/** Digits, decimal point and exponent without group separators; undefined if the grouping is invalid. */
function plainDigits(
  text: string,
  style: NumberStyle,
): { text: string; grouped: boolean } | undefined {
  const mantissa = text.replace(/e[+-]?\d+$/i, '')
  const exponent = text.slice(mantissa.length)
  const [whole = '', fraction = '', extra] = mantissa.split(style.decimal)
  if (extra !== undefined || !/^\d*$/.test(fraction) || whole + fraction === '') return undefined
  const separator = /\D/.exec(whole)?.[0]
  const digits = separator === undefined ? whole : withoutGroups(whole, separator, style)
  if (digits === undefined) return undefined
  return {
    text: `${digits || '0'}.${fraction || '0'}${exponent}`,
    grouped: separator !== undefined,
  }
}

function withoutGroups(whole: string, separator: string, style: NumberStyle): string | undefined {
  if (separator !== style.group && !/\s/.test(separator)) return undefined
  const groups = whole.split(separator)
  return areGroups(groups) ? groups.join('') : undefined
}

/** Groups of three digits, or of two before the last group as in India. */
function areGroups(groups: readonly string[]): boolean {
  const middle = groups.slice(1, -1)
  return (
    /^\d{1,3}$/.test(groups[0] ?? '') &&
    /^\d{3}$/.test(groups.at(-1) ?? '') &&
    (middle.every((group) => /^\d{3}$/.test(group)) ||
      (middle.every((group) => /^\d{2}$/.test(group)) && (groups[0] ?? '').length <= 2))
  )
}

function styleOf(locale: string): NumberStyle {
  const known = styles.get(locale)
  if (known) return known
  const part: Record<string, string> = {}
  for (const { type, value } of formatter(locale, {}).formatToParts(-1234567.5)) part[type] = value
  for (const { type, value } of formatter(locale, { style: 'percent' }).formatToParts(1)) {
    if (type === 'percentSign') part.percent = value
  }
  const style = {
    group: part.group ?? ',',
    decimal: part.decimal ?? '.',
    percent: part.percent ?? '%',
  }
  if (styles.size > 1000) styles.clear()
  styles.set(locale, style)
  return style
}

function currencySymbols({ settings, widgetOptions }: ColumnContext): readonly string[] {
  const wanted = widgetOptions.currency
  const code =
    typeof wanted === 'string' && /^[A-Z]{3}$/.test(wanted) ? wanted : currencyOf(settings)
  if (code === undefined) return []
  const key = `${settings.locale} ${code}`
  const known = symbols.get(key)
  if (known) return known
  const found = (['narrowSymbol', 'symbol'] as const).map((currencyDisplay) => {
    const format = formatter(settings.locale, {
      style: 'currency',
      currency: code,
      currencyDisplay,
    })
    return format.formatToParts(1).find((part) => part.type === 'currency')?.value ?? code
  })
  if (symbols.size > 1000) symbols.clear()
  symbols.set(key, [...found, code])
  return symbols.get(key) ?? []
}

/**
 * Currency code of the region of a locale; US dollars for a locale without a region, undefined for a region
 * without a default currency.
 */
export function currencyOf({ locale }: DocumentSettings): string | undefined {
  const region = /[-_]([A-Za-z]{2})\b/.exec(locale)?.[1]
  return CURRENCIES[region?.toUpperCase() ?? 'US']
}

function formatter(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, options)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return new Intl.NumberFormat('en-US', options)
  }
}
