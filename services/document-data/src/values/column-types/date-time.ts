import { quoteText } from '../../quoting/quote'
import type { Cell, ColumnContext, ColumnType, StoredValue } from '../column-type'
import { plainFromStored } from '../column-type'
import {
  MAX_DATE_TEXT,
  dateOrder,
  readIsoDate,
  readLooseDate,
  splitTime,
} from '../dates/date-parts'
import type { TimeParts } from '../dates/date-parts'
import { codedNumberSql, numberJsonSql, storedNumber } from '../numbers/number-storage'
import { cellText } from '../python-text'
import { hasAbbreviation, isTimeZone, localToEpoch } from '../dates/time-zone'
import { dateLikeToStored, readEpochText } from './date'

/**
 * Instants: epoch seconds, possibly with a fraction. Text without a zone is local time in the zone of the
 * column, which defaults to that of the document. Undefined for an unknown zone.
 */
export function findDateTimeType(zone: string | undefined): ColumnType | undefined {
  if (zone !== undefined && !isTimeZone(zone)) return undefined
  return {
    name: 'DateTime',
    ...(zone === undefined ? {} : { argument: zone }),
    affinity: '',
    storage: 'number',
    defaultValue: null,
    toStored: (cell, context, { noParse }) => {
      const own =
        zone ?? (isTimeZone(context.settings.timezone) ? context.settings.timezone : 'UTC')
      if (typeof cell === 'string') return textToStored(cell, { context, zone: own, noParse })
      return (
        dateLikeToStored(cell) ??
        instantOfCode(cell, own) ??
        (cell === null ? null : cellText(cell))
      )
    },
    fromStored: plainFromStored,
    jsonSql: numberJsonSql,
    typedJsonSql: (column) =>
      codedNumberSql(column, (number) => `json_array('D',${number},${quoteText(zone ?? 'UTC')})`),
  }
}

interface Reading {
  context: ColumnContext
  zone: string
  noParse: boolean
}

function textToStored(cell: string, { context, zone, noParse }: Reading): StoredValue {
  const text = cell.trim()
  if (text === '') return cell === '' || !noParse ? null : cell
  if (text.length > MAX_DATE_TEXT) return cell
  const strict = readInstant(text, zone, (date) =>
    isIsoStart(text) ? readIsoDate(date) : undefined,
  )
  if (strict !== undefined && !(noParse && isLooseTime(text))) return storedNumber(strict)
  if (noParse) return cell
  const order = dateOrder(context.widgetOptions.dateFormat)
  const now = Date.now() / 1000
  const loose =
    readEpochText(text) ??
    readInstant(text, zone, (date) => readIsoDate(date) ?? readLooseDate(date, order, now))
  return loose === undefined ? cell : storedNumber(loose)
}

function isIsoStart(text: string): boolean {
  return /^\d{4}(-\d{1,2}(-\d{1,2}([T ]|$)|$)|\d{4}([T ]|$)|$)/.test(text)
}

/** Time formats that are not part of ISO 8601: `10pm`, `10:20 EST`. */
function isLooseTime(text: string): boolean {
  return /[a-z]\.?$/i.test(text) && !/\dZ$/i.test(text)
}

/** Parses text as epoch seconds, reading its date with `readDate`; undefined if it is not an instant. */
function readInstant(
  text: string,
  zone: string,
  readDate: (date: string) => number | undefined,
): number | undefined {
  const whole = readDate(text)
  if (whole !== undefined) return localToEpoch(zone, whole)
  const split = splitTime(text)
  const day = split && split.date !== '' ? readDate(split.date) : undefined
  return split && day !== undefined ? addTime(day, split.time, zone) : undefined
}

function addTime(day: number, time: TimeParts, zone: string): number | undefined {
  if (time.abbreviation !== undefined && !hasAbbreviation(zone, time.abbreviation.toUpperCase())) {
    return undefined
  }
  const whole = Math.floor(time.seconds)
  const fraction = Math.round((time.seconds - whole) * 1e9) / 1e9
  const epoch =
    time.offset === undefined ? localToEpoch(zone, day + whole) : day + whole - time.offset
  return epoch + fraction
}

function instantOfCode(cell: Cell, zone: string): StoredValue | undefined {
  if (!Array.isArray(cell) || typeof cell[1] !== 'number' || !Number.isFinite(cell[1]))
    return undefined
  if (cell[0] === 'D') return storedNumber(cell[1])
  return cell[0] === 'd' ? storedNumber(localToEpoch(zone, cell[1])) : undefined
}
