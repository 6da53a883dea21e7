import { hasWideCharacters } from './comparison'
import { fixedText } from './fixed-text'
import { padded } from './format-spec'
import { numeric, textOf, toFloat, truncate, type Numeric } from './numbers'
import { replaced } from './text-bounds'
import { isTime, ListValue, needsPython, type Value } from './values'

const CONVERSION = /%(?:(%)|([-+ 0]*)(\d{1,3})?(?:\.(\d{1,2}))?([sdif])|)/g
const DEFAULT_PLACES = 6

/** `text % value` in the usual forms: `%s`, `%d` and `%f` with flags, width and decimals. */
export function percentFormat(text: string, value: Value): string {
  const values = argumentsOf(value)
  let used = 0
  const result = replaced(text, CONVERSION, (...match) => {
    const [all, percent, flags = '', width = '0', places, kind = ''] = match
    if (percent) return '%'
    if (all === '%' || used >= values.length) return needsPython()
    return converted(values[used++] ?? null, {
      ...{ flags, kind },
      width: Number(width),
      places: places === undefined ? undefined : Number(places),
    })
  })
  return used === values.length ? result : needsPython()
}

/** The values of a tuple, or the only value; what has items of its own is Python's. */
function argumentsOf(value: Value): readonly Value[] {
  if (value instanceof ListValue && value.isTuple) return value.items
  return typeof value !== 'object' || value === null || isTime(value) ? [value] : needsPython()
}

interface Conversion {
  readonly flags: string
  readonly width: number
  readonly places?: number
  readonly kind: string
}

function converted(value: Value, conversion: Conversion): string {
  return conversion.kind === 's'
    ? convertedText(textOf(value), conversion)
    : convertedNumber(numeric(value), conversion)
}

function convertedText(text: string, { flags, width, places }: Conversion): string {
  if (flags.includes('0') || hasWideCharacters(text)) return needsPython()
  const part = places === undefined ? text : text.slice(0, places)
  return padded('', part, { fill: ' ', align: flags.includes('-') ? '<' : '>', width })
}

function convertedNumber(value: Numeric, { flags, width, places, kind }: Conversion): string {
  const number = kind === 'f' ? toFloat(value) : truncate(value)
  const isNegative = number < 0 || Object.is(number, -0)
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const align = flags.includes('-') ? '<' : flags.includes('0') ? '=' : '>'
  const fill = align === '=' ? '0' : ' '
  return padded(isNegative ? '-' : plus, digitsOf(number, places), { fill, align, width })
}

function digitsOf(number: bigint | number, places: number | undefined): string {
  if (typeof number === 'number')
    return Number.isFinite(number)
      ? fixedText(Math.abs(number), places ?? DEFAULT_PLACES)
      : needsPython()
  return places === undefined ? String(number < 0n ? -number : number) : needsPython()
}
