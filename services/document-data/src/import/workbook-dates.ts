import type { ImportedCell } from './row-sink'

/** The date parts that a number format shows. */
export interface DateParts {
  readonly day: boolean
  readonly time: boolean
}

const DAY = 86_400
/** Day number of 1 January 1970, where 1 is 1 January 1900. */
const EPOCH_DAY = 25_569
/** Offset in days of the 1904 date system. */
const DAYS_1904 = 1_462
/** Day numbers end with the year 9999. */
const LAST_DAY = 2_958_466

const builtIn: readonly (readonly [first: number, last: number, parts: DateParts])[] = [
  [14, 17, { day: true, time: false }],
  [18, 21, { day: false, time: true }],
  [22, 22, { day: true, time: true }],
  [27, 31, { day: true, time: false }],
  [32, 35, { day: false, time: true }],
  [36, 36, { day: true, time: false }],
  [50, 58, { day: true, time: false }],
]

/** The date parts that a number format shows; undefined for numbers and durations. */
export function isDateFormat(id: number, code: string | undefined): DateParts | undefined {
  if (code === undefined) return builtIn.find(([first, last]) => id >= first && id <= last)?.[2]
  // Elapsed hours, minutes or seconds are durations.
  if (/\[(h+|m+|s+)\]/i.test(code)) return undefined
  const plain = code.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|General/gi, '').split(';', 1)[0] ?? ''
  const parts = { day: /[yd]|^[^hs]*m[^hs]*$/i.test(plain), time: /[hs]/i.test(plain) }
  return parts.day || parts.time ? parts : undefined
}

/** The cell for a number formatted as a date; a time without a day becomes text. */
export function dateCell(serial: number, parts: DateParts, from1904: boolean): ImportedCell {
  const days = from1904 ? serial + DAYS_1904 : serial
  if (!(days >= 0 && days < LAST_DAY)) return serial
  if (!parts.day && serial >= 0 && serial < 1) return timeText(serial)
  // The 1900 date system treats 1900 as a leap year, so days before March are off by one.
  const whole = days < 60 ? days + 1 : days
  const seconds = Math.round((whole - EPOCH_DAY) * DAY * 1000) / 1000
  const isMidnight = seconds % DAY === 0
  if (parts.time || !isMidnight) return ['D', seconds, 'UTC']
  return ['d', seconds]
}

function timeText(days: number): string {
  // Rounding must not carry the last half second of a day over into the next.
  const seconds = Math.min(DAY - 1, Math.round(days * DAY))
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`
}
