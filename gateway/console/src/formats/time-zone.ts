const DAY = 86_400
/** Range of Date, in epoch seconds. */
const MAX_SECONDS = 8.64e12

const zoneFormats = new Map<string, Intl.DateTimeFormat | undefined>()

/**
 * Returns the zone of a type such as `DateTime:Europe/Berlin`; UTC if it has no zone, or one that the browser
 * does not know.
 */
export function zoneOf(type: string): string {
  const zone = type.slice('DateTime:'.length)
  return zone !== '' && zoneFormatOf(zone) ? zone : 'UTC'
}

/** Converts an instant to wall-clock time in a zone, expressed as epoch seconds as if in UTC. */
export function toWall(epoch: number, zone: string): number {
  const zoneFormat = zoneFormatOf(zone)
  if (zone === 'UTC' || !zoneFormat || Math.abs(epoch) > MAX_SECONDS - 2 * DAY) return epoch
  const whole = Math.floor(epoch)
  const shown = Object.fromEntries(
    zoneFormat.formatToParts(whole * 1000).map(({ type, value }) => [type, value]),
  )
  const part = (name: string) => Number(shown[name])
  const year = shown.era === 'AD' ? part('year') : 1 - part('year')
  const date = new Date(0)
  date.setUTCFullYear(year, part('month') - 1, part('day'))
  date.setUTCHours(part('hour'), part('minute'), part('second'))
  return date.getTime() / 1000 + (epoch - whole)
}

/**
 * Converts wall-clock time in a zone to an instant. A time skipped by a clock change is moved forward by the
 * gap; of a time that occurs twice, the first is used.
 */
export function fromWall(wall: number, zone: string): number {
  const offset = (epoch: number) => Math.round(toWall(epoch, zone) - epoch)
  const before = offset(wall - DAY)
  const early = wall - before
  if (offset(early) === before) return early
  const after = offset(wall + DAY)
  const late = wall - after
  return offset(late) === after ? late : early
}

function zoneFormatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!zoneFormats.has(timeZone)) zoneFormats.set(timeZone, createZoneFormat(timeZone))
  return zoneFormats.get(timeZone)
}

function createZoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const parts = ['year', 'month', 'day', 'hour', 'minute', 'second']
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      calendar: 'gregory',
      era: 'short',
      ...Object.fromEntries(parts.map((part) => [part, 'numeric'])),
    })
  } catch {
    return undefined
  }
}
