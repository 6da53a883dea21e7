import { anyText } from './any-value'
import { fromWall, toWall } from './time-zone'

const DAY = 86_400
/** Range of Date, in epoch seconds. */
const MAX_SECONDS = 8.64e12

type DatePart = 'year' | 'month' | 'day'

/** The order of year, month and day in a date of digits. */
export type DateOrder = readonly DatePart[]

const ISO_ORDER: DateOrder = ['year', 'month', 'day']

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats a date for display; with the time if it is not midnight UTC. */
export function formatDate(epoch: number, locale?: string): string {
  if (epoch % DAY !== 0) return formatDateTime(epoch, 'UTC', locale)
  return format(epoch, { dateStyle: 'medium', timeZone: 'UTC' }, locale)
}

/** Formats a date and time for display in a time zone. */
export function formatDateTime(epoch: number, zone: string, locale?: string): string {
  const timeStyle = Math.floor(epoch) % 60 === 0 ? 'short' : 'medium'
  return format(epoch, { dateStyle: 'medium', timeStyle, timeZone: zone }, locale)
}

function format(epoch: number, options: Intl.DateTimeFormatOptions, locale?: string): string {
  // Out of range for Date.
  if (!(Math.abs(epoch) <= MAX_SECONDS)) return String(epoch)
  const date = new Date(epoch * 1000)
  if (date.getUTCFullYear() < 1) return date.toISOString()
  const key = JSON.stringify([locale, options])
  const made = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, made)
  return made.format(date)
}

/** Without a maximum, the year of a native field has six digits, and what is typed for the month continues it. */
export const lastDates = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59:59' } as const

/**
 * Returns the value of a native date field, or date and time field with a zone; undefined if it cannot hold the
 * value.
 */
export function fieldText(value: unknown, zone?: string): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'number' || !(Math.abs(value) <= MAX_SECONDS)) return undefined
  if (zone === undefined && value % DAY !== 0) return undefined
  const text = isoText(zone === undefined ? value : toWall(Math.floor(value), zone))
  if (!/^\d{4}-/.test(text) || text.startsWith('0000')) return undefined
  return zone === undefined ? text.slice(0, 10) : text
}

/** Parses the value of a native date field. */
export function readField(text: string, zone?: string): number | null {
  if (text === '') return null
  // ISO 8601 requires a sign for years beyond 9999, which native fields do not have.
  const iso = text.replace(/^(\d{5,6})-/, (_, year: string) => `+${year.padStart(6, '0')}-`)
  const wall = Date.parse(zone === undefined ? `${iso}T00:00:00Z` : `${withSeconds(iso)}Z`) / 1000
  return zone === undefined ? wall : fromWall(wall, zone)
}

const withSeconds = (text: string): string => (/T\d\d:\d\d$/.test(text) ? `${text}:00` : text)

const isoText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, -5)

/** Returns the editable text of a value that a native field cannot hold. */
export function dateText(value: unknown): string {
  if (typeof value !== 'number') return anyText(value)
  return Math.abs(value) <= MAX_SECONDS ? new Date(value * 1000).toISOString() : String(value)
}

const PATTERN =
  /^(\d{1,4})([./-])\s?(\d{1,2})\2\s?(\d{1,4})(?:,?\s+(\d{1,2}):(\d\d)(?::(\d\d))?\s*([ap])?\.?m?\.?)?$/i

/**
 * Parses a numeric date in an order, by default that of the browser: 24.12.2025 in German. Returns undefined for other
 * text, which the API may still accept.
 */
export function readDateText(
  text: string,
  zone?: string,
  order: DateOrder = orderOf(),
): number | undefined {
  const match = PATTERN.exec(text.trim())
  if (!match) return undefined
  const numbers = [match[1], match[3], match[4]].map(Number)
  const places = match[1]?.length === 4 ? ISO_ORDER : order
  const part = (name: DatePart) => numbers[places.indexOf(name)] ?? 0
  const day = dayOf(fullYear(part('year')), part('month'), part('day'))
  if (day === undefined) return undefined
  if (zone === undefined) return day
  const time = timeOf(match)
  return time === undefined ? undefined : fromWall(day + time, zone)
}

/** Parses typed text as null, a date, or text that is left to the API. */
export const readTyped = (
  text: string,
  zone?: string,
  order?: DateOrder,
): number | string | null => (text.trim() === '' ? null : (readDateText(text, zone, order) ?? text))

function timeOf([, , , , , hours, minutes = '0', seconds = '0', half]: string[]):
  number | undefined {
  if (hours === undefined) return 0
  const hour =
    half === undefined ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0)
  const isTime = hour < 24 && Number(minutes) < 60 && Number(seconds) < 60
  return isTime ? hour * 3600 + Number(minutes) * 60 + Number(seconds) : undefined
}

function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isDay ? date.getTime() / 1000 : undefined
}

/** Expands a two-digit year to the latest matching year that is at most ten years ahead. */
function fullYear(year: number): number {
  if (year >= 100) return year
  const most = new Date().getUTCFullYear() + 10
  return most - ((((most - year) % 100) + 100) % 100)
}

/** Returns the order of dates in a locale. */
export function orderOf(locale?: string): DateOrder {
  const parts = new Intl.DateTimeFormat(locale).formatToParts(0).map(({ type }) => type)
  return parts.filter((type): type is DatePart => ISO_ORDER.some((part) => part === type))
}
