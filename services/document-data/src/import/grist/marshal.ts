/**
 * A value of Python's `marshal` format: None is null, an int beyond 2^53 a bigint, bytes a Buffer; tuples, lists and
 * sets are arrays, and a dict is a list of its entries.
 */
export type MarshalValue =
  null | boolean | number | bigint | string | Buffer | MarshalValue[] | MarshalDict

/** The entries of a dict, in their order. */
export class MarshalDict {
  constructor(readonly entries: readonly (readonly [MarshalValue, MarshalValue])[]) {}
}

/** The only error of `readMarshal`. */
export class MarshalError extends Error {}

/** Bounds of a value; a part that is referenced several times counts each time. */
export interface MarshalBounds {
  /** Nesting depth of containers. */
  readonly depth: number
  /** Values, and bytes of text, together. */
  readonly size: number
}

/** Set in a type code: the value can be referenced by its number (format version 3 and later). */
const FLAG_REF = 0x80
/** Bits of a digit of a long integer. */
const DIGIT_BITS = 15n
const DIGIT_LIMIT = 1 << 15
/** Digits of a long integer: more than any number in a cell has. */
const MAX_DIGITS = 10_000

/**
 * Reads the one value that these bytes hold, in any version of the format. Values that no cell has, such as code
 * objects, are not read. Throws MarshalError for these, for bytes that are no marshalled value, and for a value that
 * exceeds the bounds.
 */
export function readMarshal(bytes: Buffer, bounds: MarshalBounds): MarshalValue {
  const reader = new MarshalReader(bytes, bounds)
  const value = reader.value(0)
  if (value === END) throw new MarshalError('a value is missing')
  reader.requireEnd()
  return value
}

const constants: ReadonlyMap<string, MarshalValue> = new Map<string, MarshalValue>([
  ['N', null],
  ['T', true],
  ['F', false],
])

/** Ends a dict. */
const END = Symbol('end')

/** A value that can be referenced, and what it counts; undefined while it is being read. */
interface Referable {
  value: MarshalValue
  size: number
}

class MarshalReader {
  private at = 0
  private size = 0
  /** Numbered values of versions 3 and later. */
  private readonly referable: (Referable | undefined)[] = []
  /** Numbered texts of versions 1 and 2. */
  private readonly interned: string[] = []

  constructor(
    private readonly bytes: Buffer,
    private readonly bounds: MarshalBounds,
  ) {}

  /** Throws unless all bytes were read. */
  requireEnd(): void {
    if (this.at !== this.bytes.length) throw new MarshalError('bytes follow the value')
  }

  value(depth: number): MarshalValue | typeof END {
    const flagged = this.byte()
    const code = String.fromCharCode(flagged & ~FLAG_REF)
    if (code === '0') return END
    this.count(1)
    if (code === 'r') return this.referenced()
    const index = flagged & FLAG_REF ? this.referable.push(undefined) - 1 : -1
    const before = this.size
    const value = this.valueOf(code, depth)
    if (index >= 0) this.referable[index] = { value, size: this.size - before }
    return value
  }

  private valueOf(code: string, depth: number): MarshalValue {
    const constant = constants.get(code)
    if (constant !== undefined) return constant
    switch (code) {
      case '(':
      case '[':
      case '<':
      case '>':
        return this.items(this.length(), depth)
      case ')':
        return this.items(this.byte(), depth)
      case '{':
        return this.dict(depth)
      case 's':
        return this.counted(this.length())
      default:
        return this.number(code) ?? this.text(code)
    }
  }

  private number(code: string): number | bigint | undefined {
    switch (code) {
      case 'i':
        return this.take(4).readInt32LE()
      case 'I':
        return shortest(this.take(8).readBigInt64LE())
      case 'l':
        return this.long()
      case 'g':
        return this.take(8).readDoubleLE()
      case 'f':
        return this.textFloat()
      default:
        return undefined
    }
  }

  private text(code: string): string {
    switch (code) {
      case 'u':
        return this.counted(this.length()).toString('utf8')
      case 'a':
      case 'A':
        return this.counted(this.length()).toString('latin1')
      case 'z':
      case 'Z':
        return this.counted(this.byte()).toString('latin1')
      case 't':
        return this.intern(this.counted(this.length()).toString('utf8'))
      case 'R':
        return this.internedText()
      default:
        throw new MarshalError('a value has an unknown type')
    }
  }

  private intern(text: string): string {
    this.interned.push(text)
    return text
  }

  private internedText(): string {
    const text = this.interned[this.length()]
    if (text === undefined) throw new MarshalError('a text refers to no other')
    this.count(text.length)
    return text
  }

  private referenced(): MarshalValue {
    const known = this.referable[this.length()]
    // A container that contains itself is still being read.
    if (!known) throw new MarshalError('a value refers to no other')
    this.count(known.size)
    return known.value
  }

  private items(length: number, depth: number): MarshalValue[] {
    this.requireDepth(depth)
    // Every item takes a byte at least.
    if (length > this.bytes.length - this.at) throw new MarshalError('a list is cut off')
    const items: MarshalValue[] = []
    while (items.length < length) items.push(this.item(depth))
    return items
  }

  private dict(depth: number): MarshalDict {
    this.requireDepth(depth)
    const entries: [MarshalValue, MarshalValue][] = []
    for (;;) {
      const key = this.value(depth + 1)
      if (key === END) return new MarshalDict(entries)
      entries.push([key, this.item(depth)])
    }
  }

  private item(depth: number): MarshalValue {
    const item = this.value(depth + 1)
    if (item === END) throw new MarshalError('a value is missing')
    return item
  }

  private long(): number | bigint {
    const count = this.take(4).readInt32LE()
    const digits = Math.abs(count)
    if (digits > MAX_DIGITS) throw new MarshalError('a number is too long')
    this.count(digits)
    let value = 0n
    const bytes = this.take(2 * digits)
    for (let i = digits - 1; i >= 0; i--) {
      const digit = bytes.readUInt16LE(2 * i)
      if (digit >= DIGIT_LIMIT) throw new MarshalError('a number is malformed')
      value = (value << DIGIT_BITS) | BigInt(digit)
    }
    return shortest(count < 0 ? -value : value)
  }

  private textFloat(): number {
    const text = this.take(this.byte()).toString('latin1')
    if (/^-?(?:inf|nan)$/.test(text))
      return text.endsWith('nan') ? NaN : text.startsWith('-') ? -Infinity : Infinity
    if (!/^[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?$/i.test(text))
      throw new MarshalError('a number is malformed')
    return Number(text)
  }

  private requireDepth(depth: number): void {
    if (depth >= this.bounds.depth) throw new MarshalError('a value is nested too deep')
  }

  private counted(length: number): Buffer {
    this.count(length)
    return this.take(length)
  }

  private count(size: number): void {
    this.size += size
    if (this.size > this.bounds.size) throw new MarshalError('a value is too large')
  }

  private length(): number {
    const length = this.take(4).readInt32LE()
    if (length < 0) throw new MarshalError('a length is negative')
    return length
  }

  private byte(): number {
    return this.take(1).readUInt8()
  }

  private take(length: number): Buffer {
    if (length > this.bytes.length - this.at) throw new MarshalError('a value is cut off')
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }
}

function shortest(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
