import type { KeyValue } from './cursor'

/**
 * Version of the keys that kept orders contain: of their form and of the sort keys in them, which follow the Unicode
 * data of the running Node. The number grows with every change of either.
 */
export const ORDER_KEY_VERSION = `1 ${process.versions.unicode}`

const NULL = 1
const NUMBER = 2
const TEXT = 3

let scratch = Buffer.allocUnsafe(4096)

/**
 * Key of a row in an order: bytes that sort as SQLite sorts the values of the terms. `directions` has a character for
 * each value, `d` for descending.
 */
export function orderKey(directions: string, values: readonly KeyValue[]): Buffer {
  let end = 0
  for (let i = 0; i < directions.length; i++) {
    const start = end
    end = writeValue(values[i] ?? null, start)
    if (directions[i] === 'd') invert(start, end)
  }
  return Buffer.from(scratch.subarray(0, end))
}

function writeValue(value: KeyValue, at: number): number {
  if (typeof value === 'string') return writeText(value, at)
  reserve(at + 9)
  if (value === null) {
    scratch[at] = NULL
    return at + 1
  }
  scratch[at] = NUMBER
  scratch.writeDoubleBE(value === 0 ? 0 : value, at + 1)
  // The bits of a double grow with it, and fall with a negative one.
  if (value < 0) invert(at + 1, at + 9)
  else scratch[at + 1] = (scratch[at + 1] ?? 0) | 0x80
  return at + 9
}

/** The bytes of the text, then a zero; a zero in the text is followed by 0xff, which no tag is. */
function writeText(value: string, at: number): number {
  reserve(at + 2 + value.length * 3)
  scratch[at] = TEXT
  const start = at + 1
  if (!value.includes('\0')) {
    const end = start + scratch.write(value, start)
    scratch[end] = 0
    return end + 1
  }
  const parts = value.split('\0').map((part) => Buffer.from(part))
  const bytes = parts.flatMap((part, i) => (i === 0 ? [part] : [Buffer.of(0, 0xff), part]))
  const escaped = Buffer.concat([...bytes, Buffer.of(0)])
  reserve(start + escaped.length)
  escaped.copy(scratch, start)
  return start + escaped.length
}

function invert(start: number, end: number): void {
  for (let i = start; i < end; i++) scratch[i] = ~(scratch[i] ?? 0) & 0xff
}

function reserve(size: number): void {
  if (size <= scratch.length) return
  const larger = Buffer.allocUnsafe(size * 2)
  scratch.copy(larger)
  scratch = larger
}
