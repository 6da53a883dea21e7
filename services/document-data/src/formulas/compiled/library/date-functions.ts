import { DAY, dateOf, dateOfMoment } from '../values/moments'
import {
  DateValue,
  DurationValue,
  isTime,
  MomentValue,
  needsPython,
  type Value,
} from '../values/values'
import type { Call } from './text'

const MS = 86_400_000
const WEEK = 7
const YEAR = 12
const FIRST_YEAR = 1
const LAST_YEAR = 9999
/** Years, months and days that functions count with at most. */
const MAX_COUNT = 100_000n
/** Monday is 0; 1970-01-01 was a Thursday. */
const WEEKDAY_OF_EPOCH = 3
/** Days from 1899-12-30, from which spreadsheets count, to 1970-01-01. */
const DAYS_BEFORE_EPOCH = 25_569

/** A day of the calendar, with the month from 1. */
interface Day {
  readonly days: number
  readonly year: number
  readonly month: number
  readonly day: number
}

function toDate(value: Value | undefined): DateValue {
  return value instanceof DateValue ? value : needsPython()
}

/** The time of day in seconds. */
function clockOf(value: Value | undefined): number {
  return value instanceof MomentValue ? value.local - dateOfMoment(value).days * DAY : needsPython()
}

const hour = (value: Value | undefined) => BigInt(Math.floor(clockOf(value) / 3600))
const minute = (value: Value | undefined) => BigInt(Math.floor(clockOf(value) / 60) % 60)
const second = (value: Value | undefined) => BigInt(clockOf(value) % 60)

function dayOf(value: Value | undefined): Day {
  const { days } = value instanceof MomentValue ? dateOfMoment(value) : toDate(value)
  const date = new Date(days * MS)
  return {
    days,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  }
}

/** A whole number of moderate size. */
function count(value: Value | undefined): number {
  const number = typeof value === 'boolean' ? BigInt(value) : value
  return typeof number === 'bigint' && number > -MAX_COUNT && number < MAX_COUNT
    ? Number(number)
    : needsPython()
}

/** The date of whole numbers; months and days beyond their range count on. */
function shiftedDate(year: number, month: number, day: number): DateValue {
  const first = year + Math.floor((month - 1) / YEAR)
  if (first < FIRST_YEAR || first > LAST_YEAR) return needsPython()
  // `Date.UTC` takes years below 100 for years after 1900.
  return dateOf(new Date(0).setUTCFullYear(year, month - 1, 1) / MS + day - 1)
}

function weekdayOf(days: number): number {
  return (((days + WEEKDAY_OF_EPOCH) % WEEK) + WEEK) % WEEK
}

/** The weekday on which weeks begin by the type of their count, Monday being 0. */
const weekStarts: Readonly<Record<string, number>> = {
  ...{ 1: 6, 2: 0, 11: 0, 12: 1, 13: 2, 14: 3, 15: 4, 16: 5, 17: 6 },
}

function weekStart(type: Value): number {
  return (typeof type === 'bigint' ? weekStarts[String(type)] : undefined) ?? needsPython()
}

const weekday: Call = ([date, type = 1n]) => {
  const { days } = dayOf(date)
  if (type === 3n) return BigInt(weekdayOf(days))
  return BigInt(((weekdayOf(days) - weekStart(type) + WEEK) % WEEK) + 1)
}

const weekNumber: Call = ([date, type = 1n]) => {
  if (type === 21n) return isoWeek([date ?? null])
  const { days, year } = dayOf(date)
  const newYear = shiftedDate(year, 1, 1).days
  const before = (weekdayOf(newYear) - weekStart(type) + WEEK) % WEEK
  return BigInt(Math.floor((days - newYear + before) / WEEK) + 1)
}

/** The week by ISO 8601: that of its Thursday. */
const isoWeek: Call = ([date]) => {
  const { days } = dayOf(date)
  const thursday = days - weekdayOf(days) + WEEKDAY_OF_EPOCH
  const { year } = dayOf(dateOf(thursday))
  return BigInt(Math.floor((thursday - shiftedDate(year, 1, 1).days) / WEEK) + 1)
}

function wholeMonths(start: Day, end: Day): number {
  const months = (end.year - start.year) * YEAR + end.month - start.month
  return end.day < start.day ? months - 1 : months
}

function daysOfMonthApart(start: Day, end: Day): number {
  const month = end.day < start.day ? end.month - 1 : end.month
  return end.days - shiftedDate(end.year, month, start.day).days
}

function daysOfYearApart(start: Day, end: Day): number {
  const moved = shiftedDate(end.year, start.month, start.day).days
  if (moved <= end.days) return end.days - moved
  return end.days - shiftedDate(end.year - 1, start.month, start.day).days
}

const differences: Readonly<Record<string, (start: Day, end: Day) => number>> = {
  D: (start, end) => end.days - start.days,
  M: wholeMonths,
  Y: (start, end) => Math.floor(wholeMonths(start, end) / YEAR),
  MD: daysOfMonthApart,
  YM: (start, end) => ((wholeMonths(start, end) % YEAR) + YEAR) % YEAR,
  YD: daysOfYearApart,
}

const difference: Call = ([start, end, unit]) => {
  const between =
    typeof unit === 'string' && Object.hasOwn(differences, unit) ? differences[unit] : undefined
  return between ? BigInt(between(dayOf(start), dayOf(end))) : needsPython()
}

/** Days from Monday to Friday, both ends included; negative when the end is before the start. */
const workdays: Call = ([from, to]) => {
  const [a, b] = [dayOf(from).days, dayOf(to).days]
  const [start, end] = a <= b ? [a, b] : [b, a]
  const weeks = Math.floor((end - start + 1) / WEEK)
  let days = weeks * 5
  for (let day = start + weeks * WEEK; day <= end; day++) if (weekdayOf(day) < 5) days++
  return BigInt(a <= b ? days : -days)
}

const dateAdd: Call = ([date, days = 0n, months = 0n, years = 0n, weeks = 0n]) => {
  const { year, month, day } = dayOf(date)
  const start = shiftedDate(year + count(years), month + count(months), day)
  return dateOf(start.days + count(days) + WEEK * count(weeks))
}

/** Functions of the library about dates. */
export const dateFunctions: Readonly<Record<string, Call>> = {
  YEAR: ([date]) => BigInt(dayOf(date).year),
  MONTH: ([date]) => BigInt(dayOf(date).month),
  DAY: ([date]) => BigInt(dayOf(date).day),
  HOUR: ([date]) => (date instanceof DateValue ? 0n : hour(date)),
  MINUTE: ([date]) => (date instanceof DateValue ? 0n : minute(date)),
  SECOND: ([date]) => (date instanceof DateValue ? 0n : second(date)),
  DATE: ([year, month, day]) => {
    const given = count(year)
    return shiftedDate(given < 1900 ? given + 1900 : given, count(month), count(day))
  },
  DATEADD: dateAdd,
  DATEDIF: difference,
  DAYS: ([end, start]) => BigInt(dayOf(end).days - dayOf(start).days),
  EDATE: ([date, months]) => {
    const { year, month, day } = dayOf(date)
    return shiftedDate(year, month + count(months), day)
  },
  EOMONTH: ([date, months]) => {
    const { year, month } = dayOf(date)
    return dateOf(shiftedDate(year, month + count(months) + 1, 1).days - 1)
  },
  NETWORKDAYS: workdays,
  WEEKDAY: weekday,
  WEEKNUM: weekNumber,
  ISOWEEKNUM: isoWeek,
  ISDATE: ([value = null]) => isTime(value),
}

/** The days of a date since 1899-12-30, as a number. */
export function spreadsheetDays(value: DateValue | MomentValue): number {
  return value instanceof DateValue ? value.days + DAYS_BEFORE_EPOCH : needsPython()
}

function toDuration(value: Value | undefined): number {
  return value instanceof DurationValue ? value.seconds : needsPython()
}

/** Attributes of dates and of their differences. */
export const dateAttributes: Readonly<Record<string, (value: Value) => Value>> = {
  year: (value) => BigInt(dayOf(value).year),
  month: (value) => BigInt(dayOf(value).month),
  day: (value) => BigInt(dayOf(value).day),
  ...{ hour, minute, second },
  days: (value) => BigInt(Math.floor(toDuration(value) / DAY)),
  seconds: (value) => BigInt(toDuration(value) - Math.floor(toDuration(value) / DAY) * DAY),
}

/** Methods of dates and of their differences; the first argument is the date. */
export const dateMethods: Readonly<Record<string, Call>> = {
  weekday: ([date]) => BigInt(weekdayOf(dayOf(date).days)),
  isoweekday: ([date]) => BigInt(weekdayOf(dayOf(date).days) + 1),
  total_seconds: ([value]) => toDuration(value),
  date: ([value]) => (value instanceof MomentValue ? dateOfMoment(value) : needsPython()),
  timestamp: ([value]) => (value instanceof MomentValue ? value.seconds : needsPython()),
}
