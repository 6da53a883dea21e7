import dayjs from 'dayjs'
import advancedFormat from 'dayjs/plugin/advancedFormat'
import utc from 'dayjs/plugin/utc'
import { zoneOffset } from '../values/time-zone'
import { DATE_FORMAT, TIME_FORMAT } from './display'

dayjs.extend(utc)
dayjs.extend(advancedFormat)

/** Instants that Date can name, in epoch seconds. */
const MAX_SECONDS = 8.64e12
const USUAL = `${DATE_FORMAT} ${TIME_FORMAT}`

/** The day of epoch seconds in a format with the tokens of moment and Day.js. */
export function dateText(seconds: number, format: string): string {
  return wallClockText(seconds, format)
}

/** The instant of epoch seconds, as clocks of the zone show it. */
export function dateTimeText(seconds: number, format: string, zone: string): string {
  return wallClockText(seconds + zoneOffset(zone, seconds), format)
}

function wallClockText(seconds: number, format: string): string {
  // What no date can be is shown as the number that it is.
  if (!(Math.abs(seconds) <= MAX_SECONDS)) return String(seconds)
  const date = new Date(Math.floor(seconds) * 1000)
  const year = date.getUTCFullYear()
  if (year >= 0 && year <= 9999) {
    if (format === DATE_FORMAT) return date.toISOString().slice(0, 10)
    if (format === USUAL) return `${date.toISOString().slice(0, 10)} ${timeText(date)}`
  }
  return dayjs.utc(date).format(format)
}

function timeText(date: Date): string {
  const hours = date.getUTCHours()
  const minutes = String(date.getUTCMinutes()).padStart(2, '0')
  return `${hours % 12 || 12}:${minutes}${hours < 12 ? 'am' : 'pm'}`
}

/** Tokens whose meaning strptime has a word for. */
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

/** The same format as strptime writes it; undefined when it says something that strptime does not know. */
export function strptimePattern(format: string): string | undefined {
  let pattern = ''
  // Words in brackets are text, runs of one letter are tokens (`Do` is one of its own), the rest stands for itself.
  for (const [part] of format.matchAll(/\[[^\]]*\]|[A-Za-z]o\b|([A-Za-z])\1*|[^A-Za-z[]+|\[/g)) {
    if (part.startsWith('[')) pattern += part.replace(/[[\]]/g, '').replaceAll('%', '%%')
    else if (/^[A-Za-z]/.test(part)) {
      const known = patterns[part]
      if (known === undefined) return undefined
      pattern += known
    } else pattern += part.replaceAll('%', '%%')
  }
  return pattern
}
