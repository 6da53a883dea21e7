import { isEqual } from '../values/comparison'
import { formatted } from '../values/format-spec'
import { magnitude, numeric, textOf, toCount, type Numeric } from '../values/numbers'
import { bounded, joined } from '../values/text-bounds'
import { isTrue, ListValue, needsPython, RecordsValue, type Value } from '../values/values'
import { roundingFunctions } from './rounding'
import { ascii, countable, plainText, replaceAll, slice, strip, title, type Call } from './text'

function notNegative(value: Value | undefined): bigint {
  return typeof value === 'bigint' && value >= 0n ? value : needsPython()
}

function position(value: Value | undefined): bigint {
  return typeof value === 'bigint' && value >= 1n ? value - 1n : needsPython()
}

/** The whole text with one occurrence replaced, given by its number from 0. */
function replaceOne([text, from, to]: readonly [string, string, string], number: number): string {
  if (from === '') return text
  const parts = text.split(from)
  if (parts.length <= number + 1) return text
  return bounded(
    [parts.slice(0, number + 1).join(from), parts.slice(number + 1).join(from)].join(to),
  )
}

/** The place of a text within another one, counted from 1. */
function placeOf(part: string, text: string, from: Value): bigint {
  const start = toCount(position(from))
  // An empty text is found behind the end by JavaScript alone.
  const at = start <= text.length ? text.indexOf(part, start) : -1
  return at < 0 ? needsPython() : BigInt(at + 1)
}

function whole(value: Value | undefined): bigint {
  return typeof value === 'bigint' ? value : needsPython()
}

// eslint-disable-next-line no-control-regex -- the characters that CLEAN removes
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g
const MAX_CODE = 0xd7ffn

function characterOf(code: bigint): string {
  return code >= 0n && code <= MAX_CODE ? String.fromCharCode(Number(code)) : needsPython()
}

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i
const MAX_DIGITS = 18

/** The number of a text; dates are Python's. */
function valueOf(value: Value): Value {
  if (typeof value !== 'string') return typeof value === 'object' ? needsPython() : value
  const text = ascii(strip(value, { start: true, end: true }))
  if (text === '') return 0n
  const plain = text.replace(/[$,]/g, '')
  if (!NUMBER.test(plain) || plain.length > MAX_DIGITS) return needsPython()
  return /^[-+]?\d+$/.test(plain) ? BigInt(plain.replace('+', '')) : Number(plain)
}

/** The arguments and in place of each list its items. Records among them are Python's. */
function partsOf(args: readonly Value[]): Value[] {
  return args.flatMap((value): readonly Value[] => {
    if (value instanceof RecordsValue) return needsPython()
    return value instanceof ListValue ? value.items : [value]
  })
}

function splitText(text: string, delimiter: string, isEach: boolean): string[] {
  if (delimiter === '') return needsPython()
  if (!isEach) return text.split(delimiter)
  const delimiters = new Set(delimiter)
  const parts = ['']
  for (const character of text)
    if (delimiters.has(character)) parts.push('')
    else parts.push((parts.pop() ?? '') + character)
  return parts
}

function fixedNumber(value: Numeric, decimals: Value, hasCommas: boolean): string {
  const round = roundingFunctions.ROUND?.([value, decimals]) ?? null
  const places = toCount(decimals)
  return formatted(round, `${hasCommas ? ',' : ''}.${places}f`)
}

/** Functions of the library about text. */
export const textFunctions: Readonly<Record<string, Call>> = {
  CONCAT: (args) => joined(args.map(textOf), ''),
  CONCATENATE: (args) => joined(args.map(textOf), ''),
  EXACT: ([a = null, b = null]) => isEqual(a, b),
  LEFT: ([text, count = 1n]) => slice(countable(text), null, notNegative(count)),
  RIGHT: ([text, count = 1n]) => slice(countable(text), -notNegative(count), null),
  MID: ([text, start, count]) => {
    const from = position(start)
    return slice(countable(text), from, from + notNegative(count))
  },
  LEN: ([value]) =>
    BigInt(value instanceof ListValue ? value.items.length : countable(value).length),
  LOWER: ([text]) => ascii(text).toLowerCase(),
  UPPER: ([text]) => ascii(text).toUpperCase(),
  TRIM: ([text]) =>
    plainText(text)
      .replace(/^ +| +$/g, '')
      .replace(/ {2,}/g, ' '),
  REPT: ([text, times]) => {
    const count = toCount(notNegative(times))
    const one = countable(text)
    return one.length * count <= 32_767 ? one.repeat(count) : needsPython()
  },
  SUBSTITUTE: ([text = null, from = null, to = null, place = null]) => {
    const parts = [textOf(text), textOf(from), textOf(to)] as const
    return place === null ? replaceAll(...parts) : replaceOne(parts, toCount(position(place)))
  },
  FIND: ([part, text, from = 1n]) => placeOf(plainText(part), countable(text), from),
  SEARCH: ([part, text, from = 1n]) =>
    placeOf(ascii(part).toLowerCase(), ascii(text).toLowerCase(), from),
  REPLACE: ([text, start, count, part]) => {
    const [from, length] = [position(start), whole(count)]
    const all = countable(text)
    const [before, after] = [slice(all, null, from), slice(all, from + length, null)]
    return bounded(`${before as string}${plainText(part)}${after as string}`)
  },
  PROPER: ([text]) => title(ascii(text)),
  CHAR: ([number]) => characterOf(whole(number)),
  CODE: ([text]) => BigInt(countable(text).codePointAt(0) ?? needsPython()),
  CLEAN: ([text]) => plainText(text).replace(CONTROL, ''),
  VALUE: ([text = null]) => valueOf(text),
  JOIN: ([delimiter = null, ...parts]) => joined(partsOf(parts).map(textOf), textOf(delimiter)),
  TEXTJOIN: ([delimiter = null, ignoresEmpty = null, ...parts]) => {
    const texts = partsOf(parts).map((part) => (part === null ? '' : textOf(part)))
    const kept = isTrue(ignoresEmpty) ? texts.filter((text) => text !== '') : texts
    return joined(kept, textOf(delimiter))
  },
  SPLIT: ([text, delimiter, isEach = true, removes = true]) => {
    const parts = splitText(plainText(text), ascii(delimiter), isTrue(isEach))
    return new ListValue(isTrue(removes) ? parts.filter((part) => part !== '') : parts)
  },
  FIXED: ([number = null, decimals = 2n, isPlain = false]) =>
    fixedNumber(numeric(number), decimals, !isTrue(isPlain)),
  DOLLAR: ([number = null, decimals = 2n]) => {
    const value = numeric(number)
    const amount = `$${fixedNumber(magnitude(value), decimals, true)}`
    return value < 0 ? `(${amount})` : amount
  },
  T: ([value]) => (typeof value === 'string' ? value : ''),
}
