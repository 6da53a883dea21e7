import { hasWideCharacters, isEqual } from '../values/comparison'
import { textOf, toCount } from '../values/numbers'
import { ListValue, needsPython, type Value } from '../values/values'

/** A function of the library: its arguments are computed. */
export type Call = (args: readonly Value[]) => Value

/** Characters of a result at most; Python makes longer ones. */
const MAX_TEXT = 100_000
/** The blanks that `strip()` removes, as far as they are ASCII: some control characters, and the space. */
const BLANKS = new Set([9, 10, 11, 12, 13, 28, 29, 30, 31, 32])
const LAST_ASCII = 127

/** A text of which JavaScript counts the characters as Python does. */
function countable(value: Value | undefined): string {
  return typeof value === 'string' && !hasWideCharacters(value) ? value : needsPython()
}

function plainText(value: Value | undefined): string {
  return typeof value === 'string' ? value : needsPython()
}

/** A text of ASCII: programs know different versions of the letters beyond it. */
function ascii(value: Value | undefined): string {
  return typeof value === 'string' && isAscii(value) ? value : needsPython()
}

function bounded(text: string): string {
  return text.length <= MAX_TEXT ? text : needsPython()
}

/** Position of a slice in a text or list of this length, as Python takes it. */
function clamped(place: Value, length: number): number {
  const number = toCount(place)
  return Math.max(0, Math.min(length, number < 0 ? number + length : number))
}

/** `value[from:to]`; null stands for an omitted end. */
export function slice(value: Value, from: Value, to: Value): Value {
  const items = value instanceof ListValue ? value.items : countable(value)
  const start = from === null ? 0 : clamped(from, items.length)
  const end = to === null ? items.length : clamped(to, items.length)
  const part = items.slice(start, Math.max(start, end))
  return typeof part === 'string' ? part : new ListValue(part, (value as ListValue).isTuple)
}

/** `value[place]`. An error when there is none is Python's. */
export function item(value: Value, place: Value): Value {
  const items = value instanceof ListValue ? value.items : countable(value)
  const at = toCount(place)
  return items[at < 0 ? at + items.length : at] ?? needsPython()
}

function itemsOf(value: Value | undefined): readonly Value[] {
  return value instanceof ListValue ? value.items : needsPython()
}

function notNegative(value: Value | undefined): bigint {
  return typeof value === 'bigint' && value >= 0n ? value : needsPython()
}

function position(value: Value | undefined): bigint {
  return typeof value === 'bigint' && value >= 1n ? value - 1n : needsPython()
}

function replaceAll(text: string, from: string, to: string): string {
  if (from === '') return needsPython()
  return bounded(text.replaceAll(from, () => to))
}

function occurrences(text: string, part: string): bigint {
  return part === '' ? needsPython() : BigInt(text.split(part).length - 1)
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > LAST_ASCII) return false
  return true
}

/** Text without blanks at the start or at the end. Python also removes some beyond ASCII. */
function strip(value: Value | undefined, { start = false, end = false }): string {
  const text = plainText(value)
  let [from, to] = [0, text.length]
  while (start && from < to && BLANKS.has(text.charCodeAt(from))) from++
  while (end && to > from && BLANKS.has(text.charCodeAt(to - 1))) to--
  const rest = text.slice(from, to)
  return isAscii(rest.charAt(0) + rest.charAt(rest.length - 1)) ? rest : needsPython()
}

/** Functions of the library about text. */
export const textFunctions: Readonly<Record<string, Call>> = {
  CONCAT: (args) => bounded(args.map(textOf).join('')),
  CONCATENATE: (args) => bounded(args.map(textOf).join('')),
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
  SUBSTITUTE: ([text = null, from = null, to = null, ...more]) => {
    if (more.length > 0) return needsPython()
    return replaceAll(textOf(text), textOf(from), textOf(to))
  },
  FIND: ([part, text, ...more]) => {
    const at = more.length === 0 ? countable(text).indexOf(plainText(part)) : -1
    return at < 0 ? needsPython() : BigInt(at + 1)
  },
  T: ([value]) => (typeof value === 'string' ? value : ''),
}

/** Methods of text, by name; the first argument is the text. */
export const textMethods: Readonly<Record<string, Call>> = {
  upper: ([text]) => ascii(text).toUpperCase(),
  lower: ([text]) => ascii(text).toLowerCase(),
  strip: ([text]) => strip(text, { start: true, end: true }),
  lstrip: ([text]) => strip(text, { start: true }),
  rstrip: ([text]) => strip(text, { end: true }),
  startswith: ([text, part]) => plainText(text).startsWith(plainText(part)),
  endswith: ([text, part]) => plainText(text).endsWith(plainText(part)),
  replace: ([text, from, to]) => replaceAll(plainText(text), plainText(from), plainText(to)),
  find: ([text, part]) => BigInt(countable(text).indexOf(plainText(part))),
  count: ([text, part]) => occurrences(plainText(text), plainText(part)),
  join: ([text, list]) => bounded(itemsOf(list).map(plainText).join(plainText(text))),
  split: ([text, part]) =>
    part === '' ? needsPython() : new ListValue(plainText(text).split(plainText(part))),
}

/** How many arguments each method takes, the text included. */
export const methodArguments: Readonly<Record<string, number>> = {
  upper: 1,
  lower: 1,
  strip: 1,
  lstrip: 1,
  rstrip: 1,
  startswith: 2,
  endswith: 2,
  replace: 3,
  find: 2,
  count: 2,
  join: 2,
  split: 2,
}
