import type { Cell } from '../values/column-type'
import { TAG } from '../values/tagged-text'

/**
 * Sort keys whose byte order is the natural order of values. SQLite compares them as plain text, because
 * better-sqlite3 has no collations and Node has no collation sort keys.
 */

/**
 * Lower than every character of ordinary text, so that a shorter word sorts first; separates the levels of a
 * key.
 */
export const LEVEL = '\u0002'
/** Ends a list item; lower than LEVEL, so that a shorter list sorts first. */
const END = '\u0001'
const MAX_RUN = 50_000

/**
 * Text of ASCII, punctuation, currency signs and Chinese characters that neither decompose nor have case: its key needs
 * no normalisation, which takes most of the time of a key.
 */
export const PLAIN =
  // eslint-disable-next-line no-control-regex -- the range is ASCII
  /^[\x00-\x7f\u2018-\u2023\u2010\u2012-\u2016¡-§©«¬®°±¶·»¿×÷\u20a0-\u20a7\u20a9-\u20bf\u4e00-\u9fff]*$/

/**
 * Sort key of text. Compares letters without accents and case first, then accents, then lower case before
 * upper case.
 */
export function sortKey(value: unknown): string | null {
  return typeof value === 'string' ? textKey(value, sameText) : null
}

/** Like `sortKey`, but compares runs of digits by their number: `a2` before `a10`. */
export function naturalKey(value: unknown): string | null {
  return typeof value === 'string' ? textKey(value, padNumbers) : null
}

/**
 * Sort key of stored text in a list or Any column: false and true before all numbers (null and -∞ in SQLite's
 * order), then lists, then text.
 */
export function cellSortKey(value: unknown): string | number | null {
  return cellKey(value, sameText)
}

/** Like `cellSortKey`, with text in natural order. */
export function naturalCellSortKey(value: unknown): string | number | null {
  return cellKey(value, padNumbers)
}

type TextForm = (text: string) => string

function sameText(text: string): string {
  return text
}

/** Encodes digits without leading zeros after a character that grows with their count. */
function padNumbers(text: string): string {
  return text.replace(/\d+/g, (run) => {
    const digits = run.replace(/^0+(?=\d)/, '')
    return `0${String.fromCharCode(0x21 + Math.min(digits.length, MAX_RUN))}${digits}`
  })
}

function textKey(text: string, form: TextForm): string {
  if (PLAIN.test(text)) {
    const lower = text.toLowerCase()
    return lower === text ? form(lower) : `${form(lower)}${LEVEL}${LEVEL}${swapCase(text)}`
  }
  const decomposed = text.normalize('NFKD')
  const accented = decomposed.toLowerCase()
  const base = accented.replace(/\p{M}+/gu, '')
  const accents = accented === base ? '' : accented
  const cases = accented === decomposed ? '' : swapCase(decomposed)
  if (accents === '' && cases === '') return form(base)
  return `${form(base)}${LEVEL}${accents}${cases === '' ? '' : LEVEL + cases}`
}

/** Inverts case, because lower case sorts before upper case, contrary to byte order. */
function swapCase(text: string): string {
  return text.replace(/[a-z]+|[A-Z]+/g, (run) =>
    run < 'a' ? run.toLowerCase() : run.toUpperCase(),
  )
}

function cellKey(value: unknown, form: TextForm): string | number | null {
  if (typeof value !== 'string') return null
  if (value.startsWith('[')) return listKey(JSON.parse(value) as unknown[], form)
  if (!value.startsWith(TAG)) return `b${textKey(value, form)}`
  const cell = JSON.parse(value.slice(1)) as Cell
  if (cell === true) return -Infinity
  if (Array.isArray(cell)) return listKey(cell, form)
  return typeof cell === 'string' ? `b${textKey(cell, form)}` : null
}

function listKey(items: readonly unknown[], form: TextForm): string {
  return `a${items.map((item) => itemKey(item, form) + END).join('')}`
}

function itemKey(item: unknown, form: TextForm): string {
  switch (typeof item) {
    case 'boolean':
      return item ? '11' : '10'
    case 'number':
      return `2${numberKey(item)}`
    case 'string':
      return `4${textKey(item, form)}`
    default:
      return item === null ? '3' : `5${JSON.stringify(item)}`
  }
}

const buffer = new DataView(new ArrayBuffer(8))

/** Hexadecimal text in numeric order: the bits of the double, all inverted for negative numbers. */
function numberKey(value: number): string {
  buffer.setFloat64(0, value === 0 ? 0 : value)
  const bits = buffer.getBigUint64(0)
  const turned = value < 0 ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n)
  return turned.toString(16).padStart(16, '0')
}
