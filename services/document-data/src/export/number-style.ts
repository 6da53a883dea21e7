import { currencyOf } from '../values/numbers/number-text'

/** Display format of the numbers of a column, according to a locale. */
export interface NumberStyle {
  readonly locale: string
  /** Currency code, for amounts of money. */
  readonly currency?: string
  readonly mode?: 'currency' | 'decimal' | 'percent' | 'scientific'
  /** True to write negative numbers in parentheses. */
  readonly parentheses?: boolean
  /** Minimum and maximum number of decimals. */
  readonly minDecimals?: number
  readonly maxDecimals?: number
}

/** Default maximum number of decimals. */
const DECIMALS = 10
/** Not all platforms support more in Intl. */
const MAX_DECIMALS = 20

const MODES = ['currency', 'decimal', 'percent', 'scientific'] as const

/** Reads the number style from widget options, ignoring invalid ones; undefined if they specify none. */
export function readNumberStyle(
  options: Readonly<Record<string, unknown>>,
  locale: string,
): NumberStyle | undefined {
  const mode = MODES.find((known) => known === options.numMode)
  const parentheses = options.numSign === 'parens'
  const minDecimals = readDecimals(options.decimals)
  const maxDecimals = readDecimals(options.maxDecimals)
  if (!mode && !parentheses && minDecimals === undefined && maxDecimals === undefined)
    return undefined
  return {
    locale: isLocale(locale) ? locale : 'en-US',
    mode,
    currency: mode === 'currency' ? readCurrency(options, locale) : undefined,
    parentheses,
    minDecimals,
    maxDecimals,
  }
}

function readCurrency({ currency }: Readonly<Record<string, unknown>>, locale: string): string {
  if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)) return currency
  return currencyOf({ locale, timezone: '' }) ?? 'USD'
}

function readDecimals(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(MAX_DECIMALS, Math.max(0, Math.trunc(value)))
    : undefined
}

/** True for a language tag that Intl supports. */
export function isLocale(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length > 0
  } catch {
    return false
  }
}

const plain = new Intl.NumberFormat('en-US', {
  useGrouping: false,
  maximumFractionDigits: DECIMALS,
})
const formats = new WeakMap<NumberStyle, Intl.NumberFormat>()

/** Returns the number format of a style, or the default format. */
export function numberFormat(style: NumberStyle | undefined): Intl.NumberFormat {
  if (!style) return plain
  const known = formats.get(style) ?? createFormat(style)
  formats.set(style, known)
  return known
}

function createFormat(style: NumberStyle): Intl.NumberFormat {
  const { locale, minDecimals, maxDecimals } = style
  const mode = modeOptions(style)
  const own = new Intl.NumberFormat(locale, mode).resolvedOptions()
  const min = minDecimals ?? own.minimumFractionDigits ?? 0
  const usual = style.mode ? Math.max(own.maximumFractionDigits ?? 0, min) : Math.max(DECIMALS, min)
  const max = maxDecimals === undefined ? usual : Math.max(min, maxDecimals)
  return new Intl.NumberFormat(locale, {
    ...mode,
    minimumFractionDigits: min,
    maximumFractionDigits: max,
  })
}

function modeOptions({ mode, currency }: NumberStyle): Intl.NumberFormatOptions {
  switch (mode) {
    case 'currency':
      return { style: 'currency', currency: currency ?? 'USD', currencyDisplay: 'narrowSymbol' }
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

/** Formats a number with the style. Without a style: up to ten decimals, no grouping, no exponent. */
export function numberText(value: number, style: NumberStyle | undefined): string {
  if (!style && Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  const format = numberFormat(style)
  if (style?.parentheses && value < 0) return `(${format.format(-value)})`
  const text = format.format(value)
  return text === '-0' ? '0' : text
}
