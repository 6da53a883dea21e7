import {
  Binary,
  Bool,
  DateDay,
  Field,
  Float64,
  Int32,
  Int64,
  List,
  makeData,
  Null,
  TimestampMicrosecond,
  Utf8,
  type Data,
  type DataType,
} from 'apache-arrow'
import type { ColumnKind, RowValue, WrittenColumn } from './row-writer'
import { valueText } from './value-text'

/** Metadata that marks text as JSON; one of Arrow's canonical extension types. */
const JSON_METADATA = new Map([
  ['ARROW:extension:name', 'arrow.json'],
  ['ARROW:extension:metadata', ''],
])

/** Arrow representation of the values of each kind. */
interface Encoding {
  readonly type: (zone: string) => DataType
  readonly data: (type: DataType, values: Values) => Data
}

type Values = readonly RowValue[]

const encodings: Readonly<Record<ColumnKind, Encoding>> = {
  null: {
    type: () => new Null(),
    data: (type, { length }) => makeData({ type: type as Null, length }),
  },
  bool: {
    type: () => new Bool(),
    data: (type, values) =>
      makeData({ type: type as Bool, data: bitsOf(values, isTrue), ...shapeOf(values) }),
  },
  int32: {
    type: () => new Int32(),
    data: (type, values) =>
      makeData({
        type: type as Int32,
        data: fill(values, new Int32Array(values.length)),
        ...shapeOf(values),
      }),
  },
  int64: { type: () => new Int64(), data: wideVector },
  float64: {
    type: () => new Float64(),
    data: (type, values) =>
      makeData({
        type: type as Float64,
        data: fill(values, new Float64Array(values.length)),
        ...shapeOf(values),
      }),
  },
  date: {
    type: () => new DateDay(),
    data: (type, values) =>
      makeData({
        type: type as DateDay,
        data: fill(values, new Int32Array(values.length)),
        ...shapeOf(values),
      }),
  },
  timestamp: { type: (zone) => new TimestampMicrosecond(zone), data: wideVector },
  text: { type: () => new Utf8(), data: textVector },
  json: { type: () => new Utf8(), data: textVector },
  bytes: { type: () => new Binary(), data: bytesVector },
  textList: listOf('text'),
  int64List: listOf('int64'),
}

/** Returns the schema field of a column. */
export function arrowField({
  name,
  kind,
  zone = 'UTC',
}: WrittenColumn & { kind: ColumnKind }): Field<DataType> {
  const type = encodings[kind].type(zone)
  return new Field(name, type, true, kind === 'json' ? JSON_METADATA : null)
}

/** Builds the vector of one column for a batch of rows. */
export function arrowData(field: Field<DataType>, kind: ColumnKind, values: Values): Data {
  return encodings[kind].data(field.type, values)
}

function listOf(kind: 'text' | 'int64'): Encoding {
  return {
    type: (zone) => new List(new Field('item', encodings[kind].type(zone), true)),
    data(type, values) {
      const [item] = type.children as Field<DataType>[]
      if (!item) throw new Error('a list type has no item type')
      const lists = values.map((value) => (value ?? []) as Values)
      const child = arrowData(item, kind, lists.flat())
      const valueOffsets = offsetsOf(lists, (list) => list.length)
      return makeData({ type: type as List, valueOffsets, child, ...shapeOf(values) })
    },
  }
}

const isTrue = (value: RowValue) => value === true
const isThere = (value: RowValue) => value !== null

/** Length and validity bitmap of a vector. */
function shapeOf(values: Values) {
  const nullCount = values.reduce<number>((count, value) => count + (value === null ? 1 : 0), 0)
  return {
    length: values.length,
    nullCount,
    nullBitmap: nullCount === 0 ? undefined : bitsOf(values, isThere),
  }
}

function bitsOf(values: Values, isSet: (value: RowValue) => boolean): Uint8Array {
  const bits = new Uint8Array((values.length + 7) >> 3)
  for (let i = 0; i < values.length; i++)
    if (isSet(values[i] ?? null)) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7))
  return bits
}

function fill<T extends Int32Array | Float64Array>(values: Values, data: T): T {
  for (let i = 0; i < values.length; i++) data[i] = Number(values[i])
  return data
}

function wideVector(type: DataType, values: Values): Data {
  const data = new BigInt64Array(values.length)
  for (let i = 0; i < values.length; i++) data[i] = BigInt((values[i] as number | bigint) ?? 0)
  return makeData({ type: type as Int64, data, ...shapeOf(values) })
}

function bytesVector(type: DataType, values: Values): Data {
  const parts = values.map((value) => (value === null ? NOTHING : (value as Buffer)))
  const valueOffsets = offsetsOf(parts, (part) => part.length)
  return makeData({
    type: type as Binary,
    valueOffsets,
    data: Buffer.concat(parts),
    ...shapeOf(values),
  })
}

const NOTHING = Buffer.alloc(0)

function textVector(type: DataType, values: Values): Data {
  const texts = values.map(textOf)
  const { valueOffsets, data } = encode(texts)
  return makeData({ type: type as Utf8, valueOffsets, data, ...shapeOf(values) })
}

function textOf(value: RowValue): string {
  if (typeof value === 'string') return value
  return valueText(value) ?? (value === null ? '' : String(value))
}

/** The concatenated bytes of texts and their offsets. Encoding them at once is faster than one by one. */
function encode(texts: readonly string[]): { valueOffsets: Int32Array; data: Buffer } {
  const data = Buffer.from(texts.join(''))
  // ASCII text, the common case, has one byte per character.
  let valueOffsets = offsetsOf(texts, (text) => text.length)
  if (valueOffsets[texts.length] === data.length) return { valueOffsets, data }
  valueOffsets = offsetsOf(texts, (text) => Buffer.byteLength(text))
  if (valueOffsets[texts.length] === data.length) return { valueOffsets, data }
  // A surrogate pair split across two texts was joined into one character.
  return { valueOffsets, data: Buffer.concat(texts.map((text) => Buffer.from(text))) }
}

function offsetsOf<T>(parts: readonly T[], lengthOf: (part: T) => number): Int32Array {
  const offsets = new Int32Array(parts.length + 1)
  let end = 0
  for (const [i, part] of parts.entries()) {
    end += lengthOf(part)
    offsets[i + 1] = end
  }
  return offsets
}
