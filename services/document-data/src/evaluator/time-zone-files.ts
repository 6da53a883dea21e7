import { readFileSync } from 'node:fs'
import { unpackZone, type ZonePeriod } from './packed-zone'

/*
 * Time zones for Python as TZif files (RFC 9636). Pyodide brings no zone data, and its in-memory file system is empty.
 */

const HEADER_ZEROS = 15
/** A period of at most this length between lower offsets is daylight saving time. */
const MAX_DST_SECONDS = 400 * 24 * 3600

/** The time zones of moment-timezone; the package itself is not loaded. */
const SOURCE = require.resolve('moment-timezone/data/packed/latest.json')

/** Returns the TZif file of every IANA zone and link, by name. */
export function timeZoneFiles(): Map<string, Buffer> {
  return new Map([...timeZonePeriods()].map(([name, periods]) => [name, tzif(periods)]))
}

/** Returns the periods of every IANA zone and link, by name. */
export function timeZonePeriods(): Map<string, readonly ZonePeriod[]> {
  const packed = JSON.parse(readFileSync(SOURCE, 'utf8')) as { zones: string[]; links: string[] }
  const zones = new Map<string, readonly ZonePeriod[]>()
  for (const text of packed.zones) {
    const { name, periods } = unpackZone(text)
    zones.set(name, periods)
  }
  for (const link of packed.links) {
    const [target = '', name = ''] = link.split('|')
    const periods = zones.get(target)
    if (!periods) throw new Error(`the zone ${target} of the link ${name} is unknown`)
    zones.set(name, periods)
  }
  return zones
}

/** Encodes periods as version 2, with an empty block of version 1, which readers of version 2 skip. */
function tzif(periods: readonly ZonePeriod[]): Buffer {
  const types = new Types()
  const indices = periods.map((_, at) => types.add(periods, at))
  const transitions = periods.slice(1).map(({ start }) => start)
  const times = Buffer.alloc(transitions.length * 8)
  for (const [at, time] of transitions.entries()) times.writeBigInt64BE(BigInt(time), at * 8)
  return Buffer.concat([
    header({ times: 0, types: 1, characters: 1 }),
    Buffer.alloc(7),
    header({ times: transitions.length, types: types.count, characters: types.names.length }),
    times,
    Buffer.from(indices.slice(1)),
    types.encode(),
    Buffer.from(types.names),
    // There is no rule for the time after the last transition; those of a rule are listed until 2499.
    Buffer.from('\n\n'),
  ])
}

function header(counts: { times: number; types: number; characters: number }): Buffer {
  const bytes = Buffer.alloc(24)
  // Leap seconds and the indicators of standard and universal time are absent.
  const numbers = [0, 0, 0, counts.times, counts.types, counts.characters]
  for (const [at, count] of numbers.entries()) bytes.writeUInt32BE(count, at * 4)
  return Buffer.concat([Buffer.from('TZif2'), Buffer.alloc(HEADER_ZEROS), bytes])
}

/** The distinct kinds of local time of a zone. */
class Types {
  /** All abbreviations, each followed by a zero. */
  names = ''
  private readonly records: Buffer[] = []
  private readonly indices = new Map<string, number>()

  get count(): number {
    return this.records.length
  }

  /** Returns the index of the type of a period, which is added when it is new. */
  add(periods: readonly ZonePeriod[], at: number): number {
    const { offset, name } = periods[at]!
    const isDst = isDaylightSaving(periods, at)
    const key = `${offset} ${isDst} ${name}`
    const known = this.indices.get(key)
    if (known !== undefined) return known
    const record = Buffer.alloc(6)
    record.writeInt32BE(offset, 0)
    record.writeUInt8(isDst ? 1 : 0, 4)
    record.writeUInt8(this.nameIndex(name), 5)
    this.records.push(record)
    this.indices.set(key, this.records.length - 1)
    return this.records.length - 1
  }

  encode(): Buffer {
    return Buffer.concat(this.records)
  }

  private nameIndex(name: string): number {
    const found = this.names.indexOf(`${name}\0`)
    if (found !== -1) return found
    this.names += `${name}\0`
    return this.names.length - name.length - 1
  }
}

/** The source has no such mark: it is a short period whose offset is above that of a neighbour. */
function isDaylightSaving(periods: readonly ZonePeriod[], at: number): boolean {
  const { offset, start } = periods[at]!
  const previous = periods[at - 1]
  const next = periods[at + 1]
  if (!previous || !next) return false
  if (next.start - start > MAX_DST_SECONDS) return false
  return previous.offset < offset || next.offset < offset
}
