/** A time of day and, if the text contains one, its UTC offset. */
export interface TimeParts {
  /** Seconds since midnight, with fraction. */
  seconds: number
  /** Seconds ahead of UTC. */
  offset?: number
  /** Zone abbreviation, not yet checked against the zone of the column. */
  abbreviation?: string
}

/** Order of the parts of a date format, such as `YMD` for `YYYY-MM-DD`. */
export type DateOrder = 'YMD' | 'MDY' | 'DMY' | 'YDM'

const MONTHS =
  'january february march april may june july august september october november december'.split(' ')
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const TIME =
  /^(.*?)(?:(?:(?<=\d)T|\s)\s*|^)(\d{1,2})(?::(\d{2})(?::(\d{2})(\.\d{1,9})?)?)?\s*([ap]\.?m\.?)?\s*(Z|[+-]\d{2}:?\d{2}|[A-Z]{2,5})?$/i

/** Maximum length of a date. Longer text is not parsed, which bounds the cost of hostile input. */
export const MAX_DATE_TEXT = 60

/** Epoch seconds of midnight UTC; undefined for a day that is not in the calendar. */
function dayStart(year: number, month: number, day: number): number | undefined {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 ? date.getTime() / 1000 : undefined
}

/** Splits text into a date and the time after it; undefined if the text does not end in a time. */
export function splitTime(text: string): { date: string; time: TimeParts } | undefined {
  const match = TIME.exec(text)
  if (!match) return undefined
  const [, date = '', hour, minutes, seconds, fraction, half, zone] = match
  if (minutes === undefined && half === undefined) return undefined
  const start = secondsOfDay(
    hourOfDay(Number(hour), half),
    Number(minutes ?? 0),
    Number(seconds ?? 0),
  )
  if (start === undefined) return undefined
  const time: TimeParts = { seconds: start + Number(fraction ?? 0) }
  if (zone !== undefined && !readZone(zone, time)) return undefined
  return { date: date.trim().replace(/,$/, ''), time }
}

function secondsOfDay(
  hour: number | undefined,
  minutes: number,
  seconds: number,
): number | undefined {
  if (hour === undefined || minutes > 59 || seconds > 59) return undefined
  return hour * 3600 + minutes * 60 + seconds
}

function hourOfDay(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0)
}

function readZone(zone: string, time: TimeParts): boolean {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (match) {
    const [, sign, hours, minutes] = match
    if (Number(hours) > 15 || Number(minutes) > 59) return false
    time.offset = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60)
  } else if (/^(z|utc|gmt)$/i.test(zone)) {
    time.offset = 0
  } else {
    time.abbreviation = zone
  }
  return true
}

/** Parses a date of digits in ISO 8601 order: `2024`, `2024-1`, `2024-1-2`, `20240102`. */
export function readIsoDate(text: string): number | undefined {
  const match = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?|(\d{2})(\d{2}))?$/.exec(text)
  if (!match) return undefined
  const [, year, month, day, shortMonth, shortDay] = match
  return dayStart(Number(year), Number(month ?? shortMonth ?? 1), Number(day ?? shortDay ?? 1))
}

/** Returns the order of the parts in a date format; year first if it does not specify one. */
export function dateOrder(format: unknown): DateOrder {
  if (typeof format !== 'string') return 'YMD'
  const parts = format
    .replace(/\[[^\]]*\]|LTS?/g, '')
    .replace(/l+/gi, 'MDY')
    .toUpperCase()
  const found = ['Y', 'M', 'D'].map((letter) => ({ letter, at: parts.indexOf(letter) }))
  if (found.some(({ at }) => at < 0)) return 'YMD'
  const order = found.sort((a, b) => a.at - b.at).map(({ letter }) => letter)
  const text = order.join('')
  return text === 'MDY' || text === 'DMY' || text === 'YDM' ? text : 'YMD'
}

/**
 * Parses a date with any separators: digits in the given order, or a month by name. The year defaults to that
 * of `now` (epoch seconds), the day to the first. Undefined if the text is not a date or is ambiguous.
 */
export function readLooseDate(text: string, order: DateOrder, now: number): number | undefined {
  const parts = text
    .toLowerCase()
    .split(/[\s,./-]+/)
    .filter((part) => part !== '')
  const words = parts.filter((part) => !WEEKDAYS.some((name) => isAbbreviated(part, name)))
  if (words.length === 0 || words.length > 3 || parts.length - words.length > 1) return undefined
  const at = words.findIndex((word) => /^\p{L}/u.test(word))
  return at < 0 ? readDigits(words, order, now) : readNamedMonth(words, at, now)
}

function isAbbreviated(word: string, name: string): boolean {
  return word.length >= 3 && name.startsWith(word)
}

function readDigits(words: readonly string[], order: DateOrder, now: number): number | undefined {
  if (words.length < 2 || words.some((word) => !/^\d+$/.test(word))) return undefined
  const letters = words.length === 3 ? order : order.replace('Y', '')
  const part: Record<string, string> = {}
  words.forEach((word, i) => (part[letters[i] ?? ''] = word))
  const year = part.Y === undefined ? yearOf(now) : readYear(part.Y, now)
  if (year === undefined || (part.M ?? '').length > 2 || (part.D ?? '').length > 2) return undefined
  return dayStart(year, Number(part.M), Number(part.D))
}

function readNamedMonth(words: readonly string[], at: number, now: number): number | undefined {
  const month = MONTHS.findIndex((name) => isAbbreviated(words[at] ?? '', name)) + 1
  const rest = words
    .filter((_, i) => i !== at)
    .map((word) => word.replace(/^(\d+)(st|nd|rd|th)$/, '$1'))
  if (month === 0 || at > 1 || rest.some((word) => !/^\d+$/.test(word))) return undefined
  const [first = '', second] = rest
  if (second === undefined) {
    if (first.length === 4) return dayStart(Number(first), month, 1)
    return first.length > 0 && first.length <= 2
      ? dayStart(yearOf(now), month, Number(first))
      : undefined
  }
  const year = readYear(second, now)
  return year === undefined || first.length > 2 ? undefined : dayStart(year, month, Number(first))
}

function yearOf(now: number): number {
  return new Date(now * 1000).getUTCFullYear()
}

/** Parses a year of four digits, or of two, meaning the latest such year at most ten years ahead. */
function readYear(text: string, now: number): number | undefined {
  if (text.length === 4) return Number(text)
  if (text.length !== 2) return undefined
  const latest = yearOf(now) + 10
  return latest - ((((latest - Number(text)) % 100) + 100) % 100)
}
