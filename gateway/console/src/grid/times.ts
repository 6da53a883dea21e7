const form = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?$/

/** The zone of a column of times; that of a column of dates is UTC. */
const zoneOf = (type: string): string =>
  (type.startsWith('DateTime:') && type.slice('DateTime:'.length)) || 'UTC'

/** Seconds since 1970 of a date, with or without a time, in the zone of the column; undefined for what is none. */
export function readTime(text: string, type: string): number | undefined {
  const found = form.exec(text.trim())
  if (!found) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = found
  const asUtc = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const zone = zoneOf(type)
  // The second look is for days on which the zone changes its clocks.
  const near = asUtc - aheadOf(asUtc, zone)
  return (asUtc - aheadOf(near, zone)) / 1000
}

/** A time as `readTime` reads it. */
export function showTime(seconds: number, type: string): string {
  const utc = seconds * 1000
  const time = new Date(utc + aheadOf(utc, zoneOf(type)))
  if (Number.isNaN(time.getTime())) return String(seconds)
  const text = time.toISOString()
  return type === 'Date' ? text.slice(0, 10) : text.slice(0, 16)
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function aheadOf(utc: number, zone: string): number {
  if (zone === 'UTC' || !Number.isFinite(utc)) return 0
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(utc)
    const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
    const [year, month, day] = [part('year'), part('month'), part('day')]
    const there = Date.UTC(year, month - 1, day, part('hour'), part('minute'), part('second'))
    return there - Math.floor(utc / 1000) * 1000
  } catch {
    return 0
  }
}
