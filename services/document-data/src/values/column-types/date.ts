import type { Cell, ColumnContext, ColumnType, StoredValue } from '../column-type'
import { plainFromStored } from '../column-type'
import {
  MAX_DATE_TEXT,
  dateOrder,
  readIsoDate,
  readLooseDate,
  splitTime,
} from '../dates/date-parts'
import { codedNumberSql, numberJsonSql, storedNumber } from '../numbers/number-storage'
import { cellText } from '../python-text'
import { zoneOffset } from '../dates/time-zone'

const DAY = 86_400

/** Days, as the epoch seconds of midnight UTC. */
export const dateType: ColumnType = {
  name: 'Date',
  affinity: '',
  storage: 'number',
  defaultValue: null,
  toStored: (cell, context, { noParse }) => {
    if (typeof cell === 'string') return textToStored(cell, context, noParse)
    return dateLikeToStored(cell) ?? dayOfCode(cell) ?? (cell === null ? null : cellText(cell))
  },
  fromStored: plainFromStored,
  jsonSql: numberJsonSql,
  typedJsonSql: (column) => codedNumberSql(column, (number) => `json_array('d',${number})`),
}

/** Stored form of cells that Date and DateTime treat alike, numbers and booleans; undefined for others. */
export function dateLikeToStored(cell: Cell): StoredValue | undefined {
  if (typeof cell === 'number') return storedNumber(cell)
  return typeof cell === 'boolean' ? BigInt(cell) : undefined
}

/** Parses text of nine or ten digits as epoch seconds. */
export function readEpochText(text: string): number | undefined {
  return /^\d{9,10}$/.test(text) ? Number(text) : undefined
}

function textToStored(cell: string, context: ColumnContext, noParse: boolean): StoredValue {
  const text = cell.trim()
  if (text === '') return cell === '' || !noParse ? null : cell
  if (text.length > MAX_DATE_TEXT) return cell
  const day = readIsoDay(text) ?? (noParse ? undefined : parseDay(text, context))
  return day === undefined ? cell : storedNumber(day)
}

function readIsoDay(text: string): number | undefined {
  return (
    readIsoDate(text) ??
    readIsoDate(/^(\d{4}-\d{1,2}-\d{1,2})[T ]/.test(text) ? withoutTime(text) : '')
  )
}

function parseDay(text: string, context: ColumnContext): number | undefined {
  const order = dateOrder(context.widgetOptions.dateFormat)
  const now = Date.now() / 1000
  return (
    readEpochText(text) ??
    readLooseDate(text, order, now) ??
    readLooseDate(withoutTime(text), order, now)
  )
}

function withoutTime(text: string): string {
  return splitTime(text)?.date ?? ''
}

function dayOfCode(cell: Cell): StoredValue | undefined {
  if (!Array.isArray(cell) || typeof cell[1] !== 'number' || !Number.isFinite(cell[1]))
    return undefined
  const [code, seconds, zone] = cell as [unknown, number, unknown]
  if (code !== 'd' && code !== 'D') return undefined
  const offset = code === 'D' && typeof zone === 'string' ? zoneOffset(zone, seconds) : 0
  return storedNumber(Math.floor((seconds + offset) / DAY) * DAY)
}
