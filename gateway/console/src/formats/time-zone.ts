const DAY = 86_400
/** Instants that dates can name, in epoch seconds. */
const MAX_SECONDS = 8.64e12

const clocks = new Map<string, Intl.DateTimeFormat | undefined>()

/** The zone of a type such as `DateTime:Europe/Berlin`; that of the world where it names none that is known here. */
export function zoneOf(type: string): string {
  const zone = type.slice('DateTime:'.length)
  return zone !== '' && clockOf(zone) ? zone : 'UTC'
}

/** What clocks of the zone show at an instant, as epoch seconds if they were those of UTC. */
export function toWall(epoch: number, zone: string): number {
  const clock = clockOf(zone)
  if (zone === 'UTC' || !clock || Math.abs(epoch) > MAX_SECONDS - 2 * DAY) return epoch
  const whole = Math.floor(epoch)
  const shown = Object.fromEntries(
    clock.formatToParts(whole * 1000).map(({ type, value }) => [type, value]),
  )
  const part = (name: string) => Number(shown[name])
  const year = shown.era === 'AD' ? part('year') : 1 - part('year')
  const date = new Date(0)
  date.setUTCFullYear(year, part('month') - 1, part('day'))
  date.setUTCHours(part('hour'), part('minute'), part('second'))
  return date.getTime() / 1000 + (epoch - whole)
}

/**
 * The instant at which clocks of the zone show something. Where they skip it, that much later; where they show it
 * twice, the first.
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

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!clocks.has(timeZone)) clocks.set(timeZone, createClock(timeZone))
  return clocks.get(timeZone)
}

function createClock(timeZone: string): Intl.DateTimeFormat | undefined {
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
