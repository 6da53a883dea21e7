import { hasWideCharacters } from './comparison'
import { dateFormat } from './date-format'
import { fixedText } from './fixed-text'
import { floatText, textOf, toFloat, type Numeric } from './numbers'
import { isTime, needsPython, type Value } from './values'

/** Characters of a width, and decimals, at most; Python takes more. */
const MAX_WIDTH = 1_000
const MAX_PLACES = 100
const DEFAULT_PLACES = 6

const SPEC =
  /^(?:(?<fill>[^{}])?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<zero>0)?(?<width>\d{1,4})?(?<group>[,_])?(?:\.(?<places>\d{1,3}))?(?<kind>[a-zA-Z%])?$/u

interface Spec {
  readonly fill: string
  readonly align?: string
  readonly sign: string
  readonly width: number
  readonly group: string
  readonly places?: number
  readonly kind: string
  readonly hasZero: boolean
}

function readSpec(text: string): Spec {
  const { groups } = SPEC.exec(text) ?? {}
  if (!groups) return needsPython()
  const { places, sign = '-', group = '', kind = '', width = '0' } = groups
  const spec = {
    ...readFill(groups),
    places: places === undefined ? undefined : Number(places),
    width: Number(width),
    ...{ sign, group, kind },
  }
  return isModerate(spec) ? spec : needsPython()
}

/** What fills up the width. Zeros before it do, unless another character is given. */
function readFill({
  fill,
  align,
  zero,
}: Record<string, string | undefined>): Pick<Spec, 'fill' | 'align' | 'hasZero'> {
  const hasZero = zero !== undefined && fill === undefined
  return hasZero
    ? { fill: '0', align: align ?? '=', hasZero }
    : { fill: fill ?? ' ', align, hasZero }
}

function isModerate({ width, places = 0 }: Spec): boolean {
  return width <= MAX_WIDTH && places <= MAX_PLACES
}

/** `format(value, spec)`. */
export function formatted(value: Value, spec: string): string {
  if (spec === '') return textOf(value)
  if (isTime(value)) return dateFormat(value, spec)
  if (typeof value === 'string') return formattedText(value, readSpec(spec))
  if (typeof value === 'bigint' || typeof value === 'number')
    return formattedNumber(value, readSpec(spec))
  return needsPython()
}

function formattedText(text: string, spec: Spec): string {
  const { places, kind, sign, group, align = '<', hasZero } = spec
  const isPlain = (kind === '' || kind === 's') && sign === '-' && group === '' && !hasZero
  if (!isPlain || align === '=' || hasWideCharacters(text)) return needsPython()
  return padded('', places === undefined ? text : text.slice(0, places), { ...spec, align })
}

function formattedNumber(value: Numeric, spec: Spec): string {
  const { fill, align = '>', sign, group } = spec
  // The zeros before a number are grouped as well.
  if (group !== '' && align === '=' && fill === '0') return needsPython()
  const isNegative = value < 0 || Object.is(value, -0)
  const digits = grouped(digitsOf(value, spec), group)
  return padded(isNegative ? '-' : sign === '-' ? '' : sign, digits, { ...spec, align })
}

/** The digits of a magnitude. */
function digitsOf(value: Numeric, { kind, places }: Spec): string {
  if (typeof value === 'bigint' && (kind === '' || kind === 'd'))
    return places === undefined ? String(value < 0n ? -value : value) : needsPython()
  const size = Math.abs(toFloat(value))
  if (kind === '') return places === undefined ? finiteText(size, floatText) : needsPython()
  const write = (number: number) => fixedText(number, places ?? DEFAULT_PLACES)
  if (kind === 'f' || kind === 'F') return finiteText(size, write)
  return kind === '%' ? `${finiteText(size * 100, write)}%` : needsPython()
}

function finiteText(size: number, write: (size: number) => string): string {
  return Number.isFinite(size) ? write(size) : needsPython()
}

function grouped(digits: string, group: string): string {
  if (group === '') return digits
  if (digits.includes('e')) return needsPython()
  return digits.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, group))
}

/** Text with its sign, filled up to a width in characters. */
export function padded(
  sign: string,
  text: string,
  { fill, align, width }: Pick<Spec, 'fill' | 'align' | 'width'>,
): string {
  const missing = width - sign.length - text.length
  if (missing <= 0) return sign + text
  if (align === '=') return sign + fill.repeat(missing) + text
  const before = align === '<' ? 0 : align === '^' ? Math.floor(missing / 2) : missing
  return fill.repeat(before) + sign + text + fill.repeat(missing - before)
}
