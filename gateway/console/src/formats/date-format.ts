import type { DateOrder } from './date'
import { toWall } from './time-zone'
import type { WidgetOptions } from './widget-options'

/** Date and time of a column that has only the other one: those of Grist. */
export const DATE_FORMAT = 'YYYY-MM-DD'
export const TIME_FORMAT = 'h:mma'

/** Longer formats are ignored: they are processed for every cell. */
const MAX_FORMAT = 100
const MAX_SECONDS = 8.64e12
const DAY_MS = 86_400_000

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Text in brackets is literal. */
const TOKENS =
  /\[([^\]]+)\]|Do|YYYY|YY|Y|M{1,4}|DD?|d{1,4}|HH?|hh?|kk?|a|A|mm?|ss?|SSS|Q|ww?|WW?|gggg|GGGG|ZZ?|zz?z?|X|x/g

/** The formats of moment for English, which stand for others. */
const LOCAL_FORMATS: Readonly<Record<string, string>> = {
  LT: 'h:mm A',
  LTS: 'h:mm:ss A',
  L: 'MM/DD/YYYY',
  LL: 'MMMM D, YYYY',
  LLL: 'MMMM D, YYYY h:mm A',
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  l: 'M/D/YYYY',
  ll: 'MMM D, YYYY',
  lll: 'MMM D, YYYY h:mm A',
  llll: 'ddd, MMM D, YYYY h:mm A',
}
const withoutLocal = (format: string): string =>
  format.replace(/\[[^\]]*\]|LTS?|L{1,4}|l{1,4}/g, (token) => LOCAL_FORMATS[token] ?? token)

/** Returns the format of a date column, with the tokens of moment; undefined for that of the browser. */
export const dateFormatOf = ({ dateFormat }: WidgetOptions): string | undefined =>
  isFormat(dateFormat) && dateFormat !== '' ? dateFormat : undefined

/** Returns the format of a column of dates with times; undefined for that of the browser. */
export function dateTimeFormatOf(options: WidgetOptions): string | undefined {
  const date = dateFormatOf(options)
  const time = isFormat(options.timeFormat) ? options.timeFormat : undefined
  if (date === undefined && time === undefined) return undefined
  return `${date ?? DATE_FORMAT} ${time ?? TIME_FORMAT}`.trim()
}

const isFormat = (format: unknown): format is string =>
  typeof format === 'string' && format.length <= MAX_FORMAT

/** Returns the order of the parts in the date format of a column; undefined for one without all three. */
export function formatOrder(options: WidgetOptions): DateOrder | undefined {
  const own = dateFormatOf(options)
  if (own === undefined) return undefined
  const format = withoutLocal(own).replace(/\[[^\]]*\]/g, '')
  const places = (['year', 'month', 'day'] as const).map((part) => ({
    part,
    at: format.search({ year: /Y/, month: /M/, day: /D/ }[part]),
  }))
  if (places.some(({ at }) => at < 0)) return undefined
  return places.sort((a, b) => a.at - b.at).map(({ part }) => part)
}

/** Formats epoch seconds as local time of a zone, in English. */
export function formatBy(format: string, epoch: number, zone: string): string {
  // Out of range for Date.
  if (!(Math.abs(epoch) <= MAX_SECONDS)) return String(epoch)
  const wall = toWall(epoch, zone)
  const parts = { date: new Date(Math.floor(wall) * 1000), offset: wall - epoch, epoch, zone }
  return withoutLocal(format).replace(TOKENS, (token, literal: string | undefined) =>
    literal !== undefined ? literal : (tokens[token]?.(parts) ?? token),
  )
}

interface Instant {
  /** The local time as if in UTC. */
  readonly date: Date
  /** Seconds that the zone is ahead of UTC. */
  readonly offset: number
  readonly epoch: number
  readonly zone: string
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')
const year = ({ date }: Instant) => date.getUTCFullYear()
const month = ({ date }: Instant) => date.getUTCMonth()
const day = ({ date }: Instant) => date.getUTCDate()
const weekday = ({ date }: Instant) => date.getUTCDay()
const hour = ({ date }: Instant) => date.getUTCHours()
const half = (instant: Instant) => (hour(instant) < 12 ? 'am' : 'pm')
const monthName = (instant: Instant) => MONTHS[month(instant)] ?? ''
const weekdayName = (instant: Instant) => WEEKDAYS[weekday(instant)] ?? ''
const signedYear = (value: number) => (value < 0 ? `-${pad(-value, 4)}` : pad(value, 4))

const tokens: Readonly<Record<string, (instant: Instant) => string>> = {
  YYYY: (at) => signedYear(year(at)),
  Y: (at) => String(year(at)),
  YY: (at) => pad(year(at) % 100),
  M: (at) => String(month(at) + 1),
  MM: (at) => pad(month(at) + 1),
  MMM: (at) => monthName(at).slice(0, 3),
  MMMM: monthName,
  D: (at) => String(day(at)),
  DD: (at) => pad(day(at)),
  Do: (at) => ordinal(day(at)),
  d: (at) => String(weekday(at)),
  dd: (at) => weekdayName(at).slice(0, 2),
  ddd: (at) => weekdayName(at).slice(0, 3),
  dddd: weekdayName,
  H: (at) => String(hour(at)),
  HH: (at) => pad(hour(at)),
  h: (at) => String(hour(at) % 12 || 12),
  hh: (at) => pad(hour(at) % 12 || 12),
  k: (at) => String(hour(at) || 24),
  kk: (at) => pad(hour(at) || 24),
  a: half,
  A: (at) => half(at).toUpperCase(),
  m: ({ date }) => String(date.getUTCMinutes()),
  mm: ({ date }) => pad(date.getUTCMinutes()),
  s: ({ date }) => String(date.getUTCSeconds()),
  ss: ({ date }) => pad(date.getUTCSeconds()),
  SSS: ({ epoch }) => pad(Math.floor((epoch - Math.floor(epoch)) * 1000), 3),
  Q: (at) => String(Math.floor(month(at) / 3) + 1),
  w: (at) => String(weekOf(at, 0).week),
  ww: (at) => pad(weekOf(at, 0).week),
  gggg: (at) => signedYear(weekOf(at, 0).year),
  W: (at) => String(weekOf(at, 1).week),
  WW: (at) => pad(weekOf(at, 1).week),
  GGGG: (at) => signedYear(weekOf(at, 1).year),
  Z: ({ offset }) => offsetText(offset, ':'),
  ZZ: ({ offset }) => offsetText(offset, ''),
  z: zoneName,
  zz: zoneName,
  zzz: zoneName,
  X: ({ epoch }) => String(Math.floor(epoch)),
  x: ({ epoch }) => String(Math.floor(epoch * 1000)),
}

function ordinal(value: number): string {
  const tail = Math.floor(value / 10) === 1 ? 0 : value % 10
  return `${value}${['th', 'st', 'nd', 'rd'][tail] ?? 'th'}`
}

/** Weeks begin on Sunday, and the first one has the first of January (0); or on Monday, and it has the fourth (1). */
function weekOf({ date }: Instant, first: 0 | 1): { readonly week: number; readonly year: number } {
  const begin = (of: Date) => of.getTime() - ((of.getUTCDay() - first + 7) % 7) * DAY_MS
  const firstOf = (ofYear: number) => {
    const start = new Date(0)
    start.setUTCFullYear(ofYear, 0, first === 1 ? 4 : 1)
    return begin(start)
  }
  const today = begin(new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS))
  const own = date.getUTCFullYear()
  const weekYear = [own + 1, own].find((candidate) => firstOf(candidate) <= today) ?? own - 1
  return { week: Math.round((today - firstOf(weekYear)) / DAY_MS / 7) + 1, year: weekYear }
}

function offsetText(offset: number, between: string): string {
  const minutes = Math.abs(Math.round(offset / 60))
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${between}${pad(minutes % 60)}`
}

function zoneName({ epoch, zone }: Instant): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' })
  const named = parts.formatToParts(epoch * 1000).find(({ type }) => type === 'timeZoneName')
  return named?.value ?? zone
}
