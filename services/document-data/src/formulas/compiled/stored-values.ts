import type { LogValue } from '../../store/log/log'
import type { Column, Schema } from '../../store/schema/schema'
import { isStoredError, readStoredError } from '../../values/error-cells'
import { TAG } from '../../values/tagged-text'
import { floatText, textOf } from './values/numbers'
import { DAY, dateOf, dateOfMoment, momentAt, momentOfLocal } from './values/moments'
import { findZone, type TimeZone } from './values/time-zones'
import type { FormulaError } from './values/values'
import {
  DateValue,
  isTime,
  isTrue,
  ListValue,
  MomentValue,
  needsPython,
  raise,
  RecordsValue,
  RecordValue,
  type Value,
} from './values/values'

/** An `int` in a cell has 32 bits. */
const INT_LIMIT = 2 ** 31
/** From here on a whole number is stored as it is computed. */
const WHOLE_LIMIT = 1e15
/** Whole floats below this are written without `.0` in Text columns. */
const TEXT_WHOLE_LIMIT = 1e16

/** Reads a stored cell as formulas see it. Throws the error that the cell holds. */
export type Decode = (stored: LogValue) => Value

/** The stored form of a result. */
export type Encode = (value: Value) => LogValue

const decodeText: Decode = (stored) =>
  stored === null || typeof stored === 'string' ? stored : needsPython()

const decodeNumber: Decode = (stored) =>
  stored === null || typeof stored === 'number' ? stored : needsPython()

const decodeWhole: Decode = (stored) => {
  if (typeof stored !== 'number') return stored === null ? null : needsPython()
  if (!Number.isInteger(stored)) return stored
  return Number.isSafeInteger(stored) ? BigInt(stored) : needsPython()
}

/** Reads cells of whole numbers as floats, of which each is exact. */
export function numberDecoder(decode: Decode): Decode {
  return (stored) =>
    typeof stored === 'number' && Math.abs(stored) <= Number.MAX_SAFE_INTEGER
      ? stored + 0
      : decode(stored)
}

const decodeBool: Decode = (stored) => {
  if (stored === null || stored === 0) return false
  return stored === 1 ? true : needsPython()
}

const decodeDate: Decode = (stored) => {
  if (stored === null) return null
  return typeof stored === 'number' ? dateOf(Math.floor(stored / DAY)) : needsPython()
}

const decodeAny: Decode = (stored) => {
  if (typeof stored !== 'number') return stored
  return Math.abs(stored) < WHOLE_LIMIT ? decodeWhole(stored) : needsPython()
}

function listOf(stored: LogValue, type: 'string' | 'number'): unknown[] {
  if (stored === null) return []
  if (typeof stored !== 'string' || !stored.startsWith('[')) return needsPython()
  const items = JSON.parse(stored) as unknown[]
  return items.every((item) => typeof item === type) ? items : needsPython()
}

const decodeChoices: Decode = (stored) => new ListValue(listOf(stored, 'string') as string[], true)

const decoders: Readonly<Record<string, Decode>> = {
  Text: decodeText,
  Choice: decodeText,
  Numeric: decodeNumber,
  Int: decodeWhole,
  Bool: decodeBool,
  Date: decodeDate,
  ChoiceList: decodeChoices,
  Any: decodeAny,
}

/** How cells of a column are read; undefined for columns that only Python reads. */
export function decoderOf(
  { type: { name, argument = '' } }: Column,
  schema: Schema,
): Decode | undefined {
  const decode = specialDecoder(name, argument, schema) ?? decoders[name]
  if (!decode) return undefined
  const isAny = name === 'Any'
  return (stored) => {
    if (typeof stored !== 'string' || !stored.startsWith(TAG)) return decode(stored)
    if (isStoredError(stored)) {
      const { name: error, message } = readStoredError(stored)
      return raise(error, message, true)
    }
    return isAny ? decodeCoded(stored) : needsPython()
  }
}

/** Decoders of types that have an argument. */
function specialDecoder(name: string, argument: string, schema: Schema): Decode | undefined {
  if (name.startsWith('Ref')) return referenceDecoder(name, argument, schema)
  const zone = name === 'DateTime' ? zoneOf(argument, schema) : undefined
  return zone && momentDecoder(zone)
}

/** The zone of a column: that of the document, unless it has another one. */
function zoneOf(argument: string, { settings }: Schema): TimeZone | undefined {
  return findZone(argument || settings.timezone || 'UTC')
}

function momentDecoder(zone: TimeZone): Decode {
  return (stored) => {
    if (stored === null) return null
    return typeof stored === 'number' ? momentAt(stored, zone) : needsPython()
  }
}

function referenceDecoder(name: string, tableId: string, schema: Schema): Decode | undefined {
  const table = schema.tables.find((one) => one.tableId === tableId)
  if (!table) return undefined
  if (name === 'RefList')
    return (stored) => new RecordsValue(table, listOf(stored, 'number') as number[])
  return (stored) => {
    if (stored !== null && !Number.isInteger(stored)) return needsPython()
    return new RecordValue(table, Number(stored))
  }
}

function decodeCoded(stored: string): Value {
  const code = JSON.parse(stored.slice(1)) as unknown
  if (typeof code === 'boolean' || typeof code === 'string') return code
  if (Array.isArray(code) && code[0] === 'd' && Number.isInteger(code[1]))
    return dateOf(Math.floor((code[1] as number) / DAY))
  return needsPython()
}

/** True for a type of which an empty cell has the value 0 or False: lookups by that find it. */
export function hasZeroBlank({ type: { name } }: Column): boolean {
  return name === 'Bool' || name === 'Ref'
}

/** The value of a cell of a row that does not exist. */
export function defaultOf({ type: { name } }: Column): LogValue {
  if (name === 'Text' || name === 'Choice') return ''
  return name === 'Numeric' || name === 'Int' || name.startsWith('Ref') ? 0 : null
}

function keptText(text: string): string {
  // A text that began with the tag would read as a coded value.
  return text.startsWith(TAG) ? needsPython() : text
}

const encodeText: Encode = (value) => {
  if (value === null) return null
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < TEXT_WHOLE_LIMIT)
    return String(value + 0)
  return keptText(textOf(value))
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null
}

const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const NOT_FINITE = /^[+-]?(inf|infinity|nan)$/i
const NOT_PLAIN = /[^ -~]/

/** The number of a text, as Python's `float` reads it; undefined for other text. */
function parseFloatText(text: string): number | null | undefined {
  // Python also reads digits and blanks of other scripts.
  if (NOT_PLAIN.test(text)) return needsPython()
  const trimmed = text.trim()
  if (trimmed === '' || NOT_FINITE.test(trimmed)) return null
  return FLOAT.test(trimmed) ? finite(Number(trimmed)) : undefined
}

const encodeNumber: Encode = (value) => {
  if (value === null) return null
  if (typeof value === 'number') return finite(value)
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isFinite(number) ? number : needsPython()
  }
  if (typeof value !== 'string') return keptText(textOf(value))
  const parsed = parseFloatText(value)
  return parsed === undefined ? keptText(value) : parsed
}

const encodeWhole: Encode = (value) => {
  if (typeof value === 'number' && !Number.isFinite(value)) return floatText(value)
  const number = encodeNumber(value)
  if (typeof number !== 'number') return number
  const whole = Math.trunc(number) + 0
  return whole >= -INT_LIMIT && whole < INT_LIMIT ? whole : keptText(textOf(value))
}

const TRUE_WORDS = new Set(['true', 'yes', '1', 't', 'y'])
const FALSE_WORDS = new Set(['false', 'no', '0', 'f', 'n'])

const encodeBool: Encode = (value) => {
  if (value === null) return 0
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return isTrue(value) ? 1 : 0
  if (typeof value !== 'string') return keptText(textOf(value))
  if (NOT_PLAIN.test(value)) return needsPython()
  const word = value.trim().toLowerCase()
  if (TRUE_WORDS.has(word)) return 1
  return FALSE_WORDS.has(word) || value === '' ? 0 : keptText(value)
}

const encodeDate: Encode = (value) => {
  if (value === null || value === '') return null
  if (value instanceof DateValue) return value.days * DAY
  if (value instanceof MomentValue) return dateOfMoment(value).days * DAY
  return encodeOtherTime(value)
}

/** Numbers are times as they are; the times of text are Python's. */
function encodeOtherTime(value: Exclude<Value, null>): LogValue {
  if (typeof value === 'string') return needsPython()
  if (typeof value === 'object') return keptText(textOf(value))
  return encodeNumber(value)
}

function momentEncoder(zone: TimeZone): Encode {
  return (value) => {
    if (value === null || value === '') return null
    if (value instanceof DateValue) return momentOfLocal(value.days * DAY, zone).seconds
    return value instanceof MomentValue ? value.seconds : encodeOtherTime(value)
  }
}

const encodeReference: Encode = (value) => {
  if (value === null || value === '') return 0
  if (value instanceof RecordValue) return value.row
  if (value instanceof RecordsValue) return value.rows.length === 0 ? 0 : needsPython()
  if (typeof value !== 'bigint' || value < -INT_LIMIT || value >= INT_LIMIT) return needsPython()
  return Number(value)
}

function encodeReferences(tableId: string): Encode {
  return (value) => {
    if (value === null || value === '') return null
    if (value instanceof RecordsValue && value.table.tableId === tableId)
      return JSON.stringify(value.rows)
    if (value instanceof RecordValue && value.table.tableId === tableId)
      return value.row === 0 ? null : JSON.stringify([value.row])
    return needsPython()
  }
}

const encodeChoices: Encode = (value) => {
  if (value === null || value === '') return null
  if (!(value instanceof ListValue)) return needsPython()
  const items = value.items.map(textOf)
  return items.length === 0 ? null : JSON.stringify(items)
}

const encodeAny: Encode = (value) => {
  if (typeof value === 'string') return value.startsWith(TAG) ? needsPython() : value
  if (typeof value === 'number') return finite(value)
  const code = codeOf(value)
  return code === null || typeof code === 'number' ? code : TAG + JSON.stringify(code)
}

/** Floats from here on, and below, are written differently in the JSON of Python. */
const EXPONENT_FROM = 1e15
const EXPONENT_BELOW = 1e-4

/** Items and characters of a list, with those of the lists in it; Python makes larger ones. */
const MAX_SIZE = 100_000

/** The JSON of a value in a column of type Any. */
function codeOf(value: Value): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint') return wholeCode(value)
  if (typeof value === 'number') return floatCode(value)
  if (isTime(value)) return timeCode(value)
  if (value instanceof RecordValue) return ['R', value.table.tableId, value.row]
  if (value instanceof RecordsValue) return ['r', value.table.tableId, value.rows]
  return value instanceof ListValue ? listCode(value) : needsPython()
}

function wholeCode(value: bigint): unknown {
  return value >= -INT_LIMIT && value < INT_LIMIT ? Number(value) : ['U', String(value)]
}

function timeCode(value: DateValue | MomentValue): unknown[] {
  if (value instanceof DateValue) return ['d', value.days * DAY]
  return ['D', value.seconds, value.zone.name]
}

function listCode({ items, size }: ListValue): unknown[] {
  return size > MAX_SIZE ? needsPython() : ['L', ...items.map(codeOf)]
}

function floatCode(value: number): number {
  const size = Math.abs(value)
  const isPlain = value === 0 || (size >= EXPONENT_BELOW && size < EXPONENT_FROM)
  return isPlain ? value + 0 : needsPython()
}

const encoders: Readonly<Record<string, Encode>> = {
  Text: encodeText,
  Choice: encodeText,
  Numeric: encodeNumber,
  Int: encodeWhole,
  Bool: encodeBool,
  Date: encodeDate,
  Ref: encodeReference,
  ChoiceList: encodeChoices,
  Any: encodeAny,
}

/** How results are stored in a column, as `results.py` does it; undefined for types whose results are Python's. */
export function encoderOf(
  { type: { name, argument = '' } }: Column,
  schema: Schema,
): Encode | undefined {
  if (name === 'RefList') return encodeReferences(argument)
  const zone = name === 'DateTime' ? zoneOf(argument, schema) : undefined
  return zone ? momentEncoder(zone) : encoders[name]
}

/** The stored form of an error. */
export function encodeError({ name, message }: FormulaError): string {
  return TAG + JSON.stringify(['E', name, message])
}
