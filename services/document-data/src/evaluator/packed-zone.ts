/** A time during which a zone's offset and abbreviation stay the same. */
export interface ZonePeriod {
  /** Its first second, since the epoch; -Infinity for the first period. */
  readonly start: number
  /** Seconds east of UTC. */
  readonly offset: number
  /** Abbreviation, such as CET. */
  readonly name: string
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX'
const BASE = DIGITS.length

/**
 * Decodes a zone of moment-timezone: name, abbreviations, offsets west of UTC, indices of both, and lengths of the periods,
 * separated by `|`. Numbers are minutes in base 60.
 */
export function unpackZone(text: string): { name: string; periods: ZonePeriod[] } {
  const [name = '', names = '', offsets = '', indices = '', lengths = ''] = text.split('|')
  const abbreviations = names.split(' ')
  const seconds = offsets.split(' ').map((offset) => -secondsOf(offset))
  const ends = lengths === '' ? [] : lengths.split(' ').map(secondsOf)
  let start = -Infinity
  let end = 0
  const periods = [...indices].map((digit, at) => {
    const index = DIGITS.indexOf(digit)
    const period = { start, offset: seconds[index]!, name: abbreviations[index]! }
    end += ends[at] ?? 0
    start = end
    return period
  })
  return { name, periods }
}

/** Converts minutes in base 60 to seconds. */
function secondsOf(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  let minutes = 0
  for (const digit of whole) minutes = minutes * BASE + DIGITS.indexOf(digit)
  const seconds = fraction === '' ? 0 : DIGITS.indexOf(fraction[0]!)
  return sign * (minutes * 60 + seconds)
}
