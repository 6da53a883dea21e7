import { hasWideCharacters } from '../values/comparison'
import { toCount } from '../values/numbers'
import { replaced } from '../values/text-bounds'
import { ListValue, needsPython, type Value } from '../values/values'

/** A function of the library: its arguments are computed. */
export type Call = (args: readonly Value[]) => Value

/** The blanks that `strip()` removes, as far as they are ASCII: some control characters, and the space. */
const BLANKS = new Set([9, 10, 11, 12, 13, 28, 29, 30, 31, 32])
const LAST_ASCII = 127

/** A text of which JavaScript counts the characters as Python does. */
export function countable(value: Value | undefined): string {
  return typeof value === 'string' && !hasWideCharacters(value) ? value : needsPython()
}

/** A text; other values are left to Python. */
export function plainText(value: Value | undefined): string {
  return typeof value === 'string' ? value : needsPython()
}

/** A text of ASCII: programs know different versions of the letters beyond it. */
export function ascii(value: Value | undefined): string {
  return typeof value === 'string' && isAscii(value) ? value : needsPython()
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

/** The items of a list or tuple. */
export function itemsOf(value: Value | undefined): readonly Value[] {
  return value instanceof ListValue ? value.items : needsPython()
}

/** `text.replace(from, to)`. */
export function replaceAll(text: string, from: string, to: string): string {
  if (from === '') return needsPython()
  return replaced(text, from, () => to)
}

/** `text.count(part)`. */
export function occurrences(text: string, part: string): bigint {
  return part === '' ? needsPython() : BigInt(text.split(part).length - 1)
}

/** Words with a capital letter each, as `title()` of Python: whatever is no letter separates words. */
export function title(text: string): string {
  return text
    .toLowerCase()
    .replace(/[a-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1))
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > LAST_ASCII) return false
  return true
}

/** Text without blanks at the start or at the end. Python also removes some beyond ASCII. */
export function strip(
  value: Value | undefined,
  { start = false, end = false }: { readonly start?: boolean; readonly end?: boolean },
): string {
  const text = plainText(value)
  let [from, to] = [0, text.length]
  while (start && from < to && BLANKS.has(text.charCodeAt(from))) from++
  while (end && to > from && BLANKS.has(text.charCodeAt(to - 1))) to--
  const rest = text.slice(from, to)
  return isAscii(rest.charAt(0) + rest.charAt(rest.length - 1)) ? rest : needsPython()
}
