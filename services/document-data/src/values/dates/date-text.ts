import { isTimeZone, zoneOffset } from './time-zone'

/** Formats the day of epoch seconds, `1970-01-02`; undefined outside the years 1 to 9999. */
export function dateText(epoch: number): string | undefined {
  return isoText(epoch)?.slice(0, 10)
}

/** Formats epoch seconds in a zone, `1970-01-02 00:00:00+00:00`; undefined for an invalid instant or zone. */
export function dateTimeText(epoch: number, zone: string): string | undefined {
  if (!isTimeZone(zone)) return undefined
  const offset = zoneOffset(zone, epoch)
  const text = isoText(epoch + offset)
  if (!text) return undefined
  const minutes = Math.round(Math.abs(offset) / 60)
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0')
  const rest = String(minutes % 60).padStart(2, '0')
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${offset < 0 ? '-' : '+'}${hours}:${rest}`
}

function isoText(epoch: number): string | undefined {
  const date = new Date(Math.floor(epoch) * 1000)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined
}
