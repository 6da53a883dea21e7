const DAY = 86_400
/** Range of epoch seconds that Date and Intl support. */
const MAX_SECONDS = 8.64e12
const MAX_CACHED_DAYS = 20_000

interface Zone {
  format: Intl.DateTimeFormat
  /** UTC offset by day; undefined for days on which it changes. */
  days: Map<number, number | undefined>
  abbreviations: ReadonlySet<string>
  /** Formats the zone abbreviation. */
  short: Intl.DateTimeFormat
}

const zones = new Map<string, Zone | undefined>()

/** Whether Intl supports the zone. */
export function isTimeZone(name: string): boolean {
  return findZone(name) !== undefined
}

/** UTC offset of the zone in seconds at an instant (epoch seconds); 0 for an unknown zone. */
export function zoneOffset(name: string, epoch: number): number {
  if (name === 'UTC') return 0
  const zone = findZone(name)
  if (!zone || !(Math.abs(epoch) < MAX_SECONDS - 2 * DAY)) return 0
  const day = Math.floor(epoch / DAY)
  if (!zone.days.has(day)) rememberDay(zone, day)
  return zone.days.get(day) ?? measureOffset(zone, epoch)
}

/**
 * Converts local time in the zone (seconds as if it were UTC) to epoch seconds. A time skipped by a clock
 * change is moved forward by the skipped amount; of a repeated time, the first occurrence is used.
 */
export function localToEpoch(name: string, local: number): number {
  const before = zoneOffset(name, local - DAY)
  const after = zoneOffset(name, local + DAY)
  if (before === after) return local - zoneOffset(name, local - before)
  const early = local - before
  if (zoneOffset(name, early) === before) return early
  const late = local - after
  return zoneOffset(name, late) === after ? late : early
}

/** Whether the zone uses this abbreviation at some time of the year, such as `EST` for New York. */
export function hasAbbreviation(name: string, abbreviation: string): boolean {
  return findZone(name)?.abbreviations.has(abbreviation) ?? false
}

/** Zone abbreviation at an instant (epoch seconds), such as `EST`; the zone name if there is none. */
export function zoneAbbreviation(name: string, epoch: number): string {
  const parts = findZone(name)?.short.formatToParts(epoch * 1000)
  return parts?.find(({ type }) => type === 'timeZoneName')?.value ?? name
}

function findZone(name: string): Zone | undefined {
  if (!zones.has(name)) {
    if (zones.size > 1000) zones.clear()
    zones.set(name, openZone(name))
  }
  return zones.get(name)
}

function openZone(timeZone: string): Zone | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    const short = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' })
    const names = [0, 6].map((month) => short.formatToParts(Date.UTC(2024, month, 1)))
    const abbreviations = names.map((parts) => parts.find((p) => p.type === 'timeZoneName')?.value)
    return { format, days: new Map(), abbreviations: new Set(abbreviations as string[]), short }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function rememberDay(zone: Zone, day: number): void {
  if (zone.days.size > MAX_CACHED_DAYS) zone.days.clear()
  const start = measureOffset(zone, day * DAY)
  const end = measureOffset(zone, (day + 1) * DAY - 1)
  zone.days.set(day, start === end ? start : undefined)
}

function measureOffset(zone: Zone, epoch: number): number {
  const part: Record<string, string> = {}
  for (const { type, value } of zone.format.formatToParts(epoch * 1000)) part[type] = value
  const year = part.era === 'BC' ? 1 - Number(part.year) : Number(part.year)
  const local = new Date(0)
  local.setUTCFullYear(year, Number(part.month) - 1, Number(part.day))
  local.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second))
  return local.getTime() / 1000 - Math.floor(epoch)
}
