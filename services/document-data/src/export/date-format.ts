import dayjs from 'dayjs'
import advancedFormat from 'dayjs/plugin/advancedFormat'
import isoWeek from 'dayjs/plugin/isoWeek'
import localizedFormat from 'dayjs/plugin/localizedFormat'
import utc from 'dayjs/plugin/utc'
import weekOfYear from 'dayjs/plugin/weekOfYear'
import weekYear from 'dayjs/plugin/weekYear'
import { zoneAbbreviation, zoneOffset } from '../values/dates/time-zone'
import { DATE_FORMAT, TIME_FORMAT } from './display'

for (const plugin of [utc, advancedFormat, localizedFormat, isoWeek, weekOfYear, weekYear])
  dayjs.extend(plugin)

/** Range of epoch seconds that Date supports. */
const MAX_SECONDS = 8.64e12
const USUAL = `${DATE_FORMAT} ${TIME_FORMAT}`

/** Formats the day of epoch seconds with the tokens of moment and Day.js. */
export function dateText(seconds: number, format: string): string {
  return clockText(seconds, format, 'UTC')
}

/** Formats epoch seconds as local time of the zone. */
export function dateTimeText(seconds: number, format: string, zone: string): string {
  return clockText(seconds, format, zone)
}

function clockText(seconds: number, format: string, zone: string): string {
  // A value outside the range of dates is shown as a number.
  if (!(Math.abs(seconds) <= MAX_SECONDS)) return String(seconds)
  const offset = zoneOffset(zone, seconds)
  // The local time, represented as UTC.
  const date = new Date(Math.floor(seconds + offset) * 1000)
  const year = date.getUTCFullYear()
  if (year >= 0 && year <= 9999) {
    if (format === DATE_FORMAT) return date.toISOString().slice(0, 10)
    if (format === USUAL) return `${date.toISOString().slice(0, 10)} ${timeText(date)}`
  }
  return dayjs.utc(date).format(withZone(format, { seconds, offset, zone }))
}

interface Instant {
  readonly seconds: number
  readonly offset: number
  readonly zone: string
}

/**
 * Replaces the tokens for the zone and the instant by literal text, since neither can be derived from a local
 * time.
 */
function withZone(format: string, instant: Instant): string {
  return format.replace(/\[[^\]]*\]|zzz|z|ZZ?|[Xx]/g, (token) =>
    token.startsWith('[') ? token : `[${zoneText(token, instant)}]`,
  )
}

function zoneText(token: string, { seconds, offset, zone }: Instant): string {
  if (token === 'X') return String(Math.floor(seconds))
  if (token === 'x') return String(Math.floor(seconds * 1000))
  if (token.startsWith('z')) return zoneAbbreviation(zone, seconds)
  const minutes = Math.abs(Math.trunc(offset / 60))
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((n) =>
    String(n).padStart(2, '0'),
  )
  return `${offset < 0 ? '-' : '+'}${hour}${token === 'Z' ? ':' : ''}${minute}`
}

function timeText(date: Date): string {
  const hours = date.getUTCHours()
  const minutes = String(date.getUTCMinutes()).padStart(2, '0')
  return `${hours % 12 || 12}:${minutes}${hours < 12 ? 'am' : 'pm'}`
}

/**
 * Bracketed text is literal, runs of one letter are tokens (`Do` is a single token), and everything else is
 * literal.
 */
const TOKENS = /\[[^\]]*\]|[A-Za-z]o\b|([A-Za-z])\1*|[^A-Za-z[]+|\[/g

/** Pads one-digit tokens of the format to two digits, which some readers require. */
export function padFormat(format: string): string {
  return format.replace(TOKENS, (token) => (/^[MDHhms]$/.test(token) ? token + token : token))
}

/** Tokens that have an equivalent in strptime. */
const patterns: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  YY: '%y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%m',
  DD: '%d',
  D: '%d',
  dddd: '%A',
  ddd: '%a',
  HH: '%H',
  H: '%H',
  hh: '%I',
  h: '%I',
  mm: '%M',
  m: '%M',
  ss: '%S',
  s: '%S',
  A: '%p',
  a: '%p',
}

/** Converts the format to a strptime pattern; undefined if it has a token without an equivalent. */
export function strptimePattern(format: string): string | undefined {
  let pattern = ''
  for (const [part] of format.matchAll(TOKENS)) {
    if (part.startsWith('[')) pattern += part.replace(/[[\]]/g, '').replaceAll('%', '%%')
    else if (/^[A-Za-z]/.test(part)) {
      const known = patterns[part]
      if (known === undefined) return undefined
      pattern += known
    } else pattern += part.replaceAll('%', '%%')
  }
  return pattern
}
