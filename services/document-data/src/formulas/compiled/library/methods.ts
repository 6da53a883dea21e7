import { dateFormat } from '../values/date-format'
import { padded } from '../values/format-spec'
import { isoText } from '../values/moments'
import { toCount } from '../values/numbers'
import { templateFormat } from '../values/template-format'
import { joined } from '../values/text-bounds'
import { isTime, ListValue, needsPython, type Value } from '../values/values'
import { dateMethods } from './date-functions'
import {
  ascii,
  countable,
  itemsOf,
  occurrences,
  plainText,
  replaceAll,
  strip,
  title,
  type Call,
} from './text'

/** Characters to which methods fill up a text. */
const MAX_WIDTH = 1_000

function toWidth(value: number): number {
  return value <= MAX_WIDTH ? value : needsPython()
}

function justified(text: Value | undefined, width: Value, align: string): string {
  return padded('', countable(text), { fill: ' ', align, width: toWidth(toCount(width)) })
}

function zeroFilled(text: string, width: number): string {
  const sign = /^[-+]/.exec(text)?.[0] ?? ''
  return padded(sign, text.slice(sign.length), { fill: '0', align: '=', width: toWidth(width) })
}

/** `text.split(part)`; without a part, the words of ASCII text. */
function splitText(text: string, part: Value | undefined): string[] {
  if (part === undefined)
    return ascii(text)
      .split(BLANKS)
      .filter((word) => word !== '')
  return part === '' ? needsPython() : text.split(plainText(part))
}

// eslint-disable-next-line no-control-regex -- what separates words in Python
const BLANKS = /[\t-\r\u001c-\u001f ]+/

const textMethods: Readonly<Record<string, Call>> = {
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
  join: ([text, list]) => joined(itemsOf(list).map(plainText), plainText(text)),
  title: ([text]) => title(ascii(text)),
  capitalize: ([text]) => {
    const lower = ascii(text).toLowerCase()
    return lower.charAt(0).toUpperCase() + lower.slice(1)
  },
  isdigit: ([text]) => /^\d+$/.test(ascii(text)),
  isalpha: ([text]) => /^[a-z]+$/i.test(ascii(text)),
  isalnum: ([text]) => /^[a-z\d]+$/i.test(ascii(text)),
  zfill: ([text, width = null]) => zeroFilled(countable(text), toCount(width)),
  rjust: ([text, width = null]) => justified(text, width, '>'),
  ljust: ([text, width = null]) => justified(text, width, '<'),
  format: ([text, ...values]) => templateFormat(plainText(text), values),
  split: ([text, part]) => new ListValue(splitText(plainText(text), part)),
}

const toTime = (value: Value = null) => (isTime(value) ? value : needsPython())

/** Methods of text and dates by name; the first argument is the value that has it. */
export const methods: Readonly<Record<string, Call>> = {
  ...textMethods,
  ...dateMethods,
  isoformat: ([date]) => isoText(toTime(date), 'T'),
  strftime: ([date, format]) => dateFormat(toTime(date), plainText(format)),
}

/** How many arguments methods take that take some, the value itself included. */
const counts: Readonly<Record<string, readonly [number, number]>> = {
  ...{ startswith: [2, 2], endswith: [2, 2], replace: [3, 3], find: [2, 2], count: [2, 2] },
  ...{ join: [2, 2], split: [1, 2], zfill: [2, 2], rjust: [2, 2], ljust: [2, 2] },
  ...{ format: [1, Infinity], strftime: [2, 2] },
}

/** The method of a name; undefined when it is Python's. */
export function findMethod(name: string): Call | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}

/** True when a method takes so many arguments, the value itself included. */
export function methodTakes(name: string, count: number): boolean {
  const [least, greatest] = counts[name] ?? [1, 1]
  return count >= least && count <= greatest
}
