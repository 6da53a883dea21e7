import type { ZonePeriod } from './packed-zone'

const DAY = 24 * 3600
/** The last year of the source; a rule is derived from it and the years before. */
const LAST_YEAR = 2037
const YEARS = 10
/** A rule may name a day some days before that of the change, with a time beyond 24 hours, or after it. */
const SHIFTS = [0, -1, 1, -2, 2, -3, 3]

/**
 * Returns the rule of a zone for the time after the data, as a TZ string of POSIX with the extensions of RFC 9636. A zone
 * whose changes do not follow a rule keeps its last offset.
 */
export function yearlyRule(periods: readonly ZonePeriod[]): string {
  const last = periods.at(-1)!
  const fixed = `${quoted(last.name)}${posixOffset(last.offset)}`
  const changes = periods
    .slice(1)
    .map((period, at) => ({ ...period, before: periods[at]!.offset }))
    .filter(({ start }) => yearOf(start) > LAST_YEAR - YEARS)
  if (changes.length !== 2 * YEARS) return fixed
  const [toDst, toStandard] = [true, false].map((isDst) =>
    changes.filter(({ offset, before }) => offset > before === isDst),
  )
  const starts = changeRule(toDst!)
  const ends = changeRule(toStandard!)
  if (starts === undefined || ends === undefined) return fixed
  const [dst, standard] = [toDst![0]!, toStandard![0]!]
  const names = `${quoted(standard.name)}${posixOffset(standard.offset)}${quoted(dst.name)}`
  const hourAhead = dst.offset - standard.offset === 3600
  return `${names}${hourAhead ? '' : posixOffset(dst.offset)},${starts},${ends}`
}

/** Returns `Mmonth.week.weekday/time` that gives one change in each year, or undefined. */
function changeRule(changes: readonly { start: number; before: number }[]): string | undefined {
  if (changes.length !== YEARS) return undefined
  for (const shift of SHIFTS) {
    const days = changes.map(({ start, before }) => {
      const local = start + before
      const day = Math.floor(local / DAY) + shift
      return { date: new Date(day * DAY * 1000), time: local - day * DAY }
    })
    const { date, time } = days[0]!
    const isRegular = days.every(
      (other) =>
        other.time === time &&
        other.date.getUTCDay() === date.getUTCDay() &&
        other.date.getUTCMonth() === date.getUTCMonth(),
    )
    const week = isRegular ? commonWeek(days.map((day) => day.date)) : undefined
    if (week !== undefined)
      return `M${date.getUTCMonth() + 1}.${week}.${date.getUTCDay()}/${clock(time)}`
  }
  return undefined
}

/** The number of the week in its month that all dates share; 5 is the last. */
function commonWeek(dates: readonly Date[]): number | undefined {
  const isLast = (date: Date) =>
    new Date(date.getTime() + 7 * DAY * 1000).getUTCMonth() !== date.getUTCMonth()
  const week = Math.ceil(dates[0]!.getUTCDate() / 7)
  if (dates.every((date) => Math.ceil(date.getUTCDate() / 7) === week)) return week
  return dates.every(isLast) ? 5 : undefined
}

function yearOf(seconds: number): number {
  return new Date(seconds * 1000).getUTCFullYear()
}

/** Abbreviations that are not letters alone stand in angle brackets. */
function quoted(name: string): string {
  return /^[A-Za-z]{3,}$/.test(name) ? name : `<${name}>`
}

/** Offsets of POSIX count west of UTC. */
function posixOffset(offset: number): string {
  return clock(-offset)
}

function clock(seconds: number): string {
  const total = Math.abs(seconds)
  const parts = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  while (parts.length > 1 && parts.at(-1) === 0) parts.pop()
  const [hours = 0, ...rest] = parts
  const digits = rest.map((part) => `:${String(part).padStart(2, '0')}`).join('')
  return `${seconds < 0 ? '-' : ''}${hours}${digits}`
}
