import type { TimeZone } from './time-zones'
import { DateValue, DurationValue, MomentValue, needsPython, type Value } from './values'

/** Seconds of a day. */
export const DAY = 86_400
/** Days of 0001-01-01 and 9999-12-31, between which Python has dates. */
const FIRST_DAY = -719_162
const LAST_DAY = 2_932_896

/** A date some days after 1970-01-01, if Python has it. */
export function dateOf(days: number): DateValue {
  return days >= FIRST_DAY && days <= LAST_DAY ? new DateValue(days) : needsPython()
}

function requireRange(seconds: number): void {
  dateOf(Math.floor(seconds / DAY))
}

/** The time in a zone, of whole seconds since the epoch. Python has fractions as well. */
export function momentAt(seconds: number, zone: TimeZone): MomentValue {
  const local = seconds + zone.offsetAt(seconds)
  requireRange(seconds)
  requireRange(local)
  return Number.isInteger(seconds) ? new MomentValue(seconds, local, zone) : needsPython()
}

/** The time of a local time in a zone. */
export function momentOfLocal(local: number, zone: TimeZone): MomentValue {
  requireRange(local)
  return new MomentValue(local - zone.offsetOfLocal(local), local, zone)
}

/** The date of a time. */
export function dateOfMoment({ local }: MomentValue): DateValue {
  return dateOf(Math.floor(local / DAY))
}

/** Moves a date by whole days, or a time by its clock. */
export function moved(value: DateValue | MomentValue, seconds: number): Value {
  return value instanceof DateValue
    ? dateOf(value.days + Math.floor(seconds / DAY))
    : momentOfLocal(value.local + seconds, value.zone)
}

/** `left - right` of dates, or of times: within a zone by the clock. Undefined for other values. */
export function difference(left: Value, right: Value): Value | undefined {
  if (left instanceof DateValue && right instanceof DateValue)
    return new DurationValue((left.days - right.days) * DAY)
  if (!(left instanceof MomentValue) || !(right instanceof MomentValue)) return undefined
  const isLocal = left.zone === right.zone
  return new DurationValue(isLocal ? left.local - right.local : left.seconds - right.seconds)
}

/** The offset of a time from UTC, such as `+02:00`. */
function offsetText({ seconds, local }: MomentValue): string {
  const offset = Math.abs(local - seconds)
  const parts = [Math.floor(offset / 3600), Math.floor(offset / 60) % 60, offset % 60]
  const shown = parts[2] === 0 ? parts.slice(0, 2) : parts
  const text = shown.map((part) => String(part).padStart(2, '0')).join(':')
  return `${local < seconds ? '-' : '+'}${text}`
}

/** `isoformat` of a date, or of a time with a separator before the clock. */
export function isoText(value: DateValue | MomentValue, separator: string): string {
  if (value instanceof DateValue)
    return new Date(value.days * DAY * 1000).toISOString().slice(0, 10)
  const [date = '', clock = ''] = new Date(value.local * 1000).toISOString().split('T')
  return `${date}${separator}${clock.slice(0, 8)}${offsetText(value)}`
}
