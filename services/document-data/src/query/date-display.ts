import { dateTimeText } from '../export/date-format'
import { zoneOffset } from '../values/dates/time-zone'
import { keptByKey } from './kept-values'

/** How a column shows dates: in formats of moment, or as a language writes them. Plain data. */
export type DateDisplay =
  | {
      readonly as: 'format'
      readonly date: string
      /** Empty for a date without a time. */
      readonly time: string
      readonly zone: string
    }
  | {
      readonly as: 'locale'
      readonly locale: string
      readonly zone: string
      readonly withTime: boolean
    }

const DAY = 86_400
/** Range of epoch seconds that Date supports. */
const MAX_SECONDS = 8.64e12
/** Languages whose formatters are kept, and formats whose texts are. */
const MAX_LOCALES = 16
const MAX_FORMATS = 1_000
/** Texts that are kept, of all formats up to this length: formatting takes twenty times as long. */
const MAX_TEXTS = 400_000
const MAX_FORMAT = 100

/** Returns the text of epoch seconds. */
export function dateDisplayText(seconds: number, display: DateDisplay): string {
  if (!(Math.abs(seconds) < MAX_SECONDS - DAY)) return String(seconds)
  return writerOf(display)(seconds)
}

type Writer = (seconds: number) => string
const writers = new WeakMap<DateDisplay, Writer>()

function writerOf(display: DateDisplay): Writer {
  const known = writers.get(display)
  if (known) return known
  const made = display.as === 'format' ? formatWriter(display) : localeWriter(display)
  writers.set(display, made)
  return made
}

const ofDays = /^[YMDdQwWgGo]*$/
const ofTimes = /^[HhkaAms]*$/
const lettersOf = (format: string): string =>
  format.replace(/\[[^\]]*\]/g, '').replace(/[^A-Za-z]/g, '')

function formatWriter({ date, time, zone }: Extract<DateDisplay, { as: 'format' }>): Writer {
  const format = `${date} ${time}`.trim()
  const isSplit = ofDays.test(lettersOf(date)) && ofTimes.test(lettersOf(time))
  if (!isSplit || format.length > MAX_FORMAT)
    return (seconds) => dateTimeText(seconds, format, zone)
  const ofDay = textsOfFormat(date)
  const ofTime = textsOfFormat(time)
  const between = date === '' || time === '' ? '' : ' '
  return (seconds) => {
    const [day, second] = wallOf(seconds, zone)
    return time === '' ? ofDay(day) : `${ofDay(day)}${between}${ofTime(second)}`
  }
}

const textsOfFormat = keptByKey(MAX_FORMATS, (format) =>
  kept((at) => dateTimeText(at, format, 'UTC')),
)

/** As the console shows dates: with the time if there is one, and with seconds if it has some. */
function localeWriter(display: Extract<DateDisplay, { as: 'locale' }>): Writer {
  const { locale, zone, withTime } = display
  return (seconds) => {
    const [date, second] = wallOf(seconds, zone)
    // Not retained, since a formatter is large and a client can name many languages.
    const texts = textsOfLocale(locale)
    if (!withTime && seconds % DAY === 0) return texts.day(date)
    return second % 60 === 0 ? texts.withMinutes(date, second) : texts.withSeconds(date, second)
  }
}

const textsOfLocale = keptByKey(MAX_LOCALES, (locale) => {
  const make = (style: Intl.DateTimeFormatOptions): Writer => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...style })
    return (seconds) => format.format(seconds * 1000)
  }
  const day = kept(make({ dateStyle: 'medium' }))
  const withTime = (timeStyle: 'short' | 'medium') => {
    const whole = make({ dateStyle: 'medium', timeStyle })
    const time = kept(make({ timeStyle }))
    const between = whole(0).slice(day(0).length, -time(0).length)
    const isJoined = INSTANTS.every((at) => {
      const [date, second] = wallOf(at, 'UTC')
      return whole(at) === `${day(date)}${between}${time(second)}`
    })
    return isJoined
      ? (date: number, second: number) => `${day(date)}${between}${time(second)}`
      : (date: number, second: number) => whole(date + second)
  }
  return { day, withMinutes: withTime('short'), withSeconds: withTime('medium') }
})

/** The local time of a zone: the seconds at which its day begins, as if in UTC, and those since. */
function wallOf(seconds: number, zone: string): readonly [day: number, second: number] {
  const wall = Math.floor(seconds + zoneOffset(zone, seconds))
  const second = ((wall % DAY) + DAY) % DAY
  return [wall - second, second]
}

/** Maps that have texts, and how many they have together. */
const filled = new Set<Map<number, string>>()
let textCount = 0

function kept(write: Writer): Writer {
  const texts = new Map<number, string>()
  return (seconds) => {
    const known = texts.get(seconds)
    if (known !== undefined) return known
    if (textCount >= MAX_TEXTS) forgetTexts()
    const text = write(seconds)
    texts.set(seconds, text)
    filled.add(texts)
    textCount++
    return text
  }
}

function forgetTexts(): void {
  for (const texts of filled) texts.clear()
  filled.clear()
  textCount = 0
}

/** Days of all endings, all weekdays and hours, since some languages name parts of the day; all months, with seconds. */
export const INSTANTS: readonly number[] = [
  ...Array.from({ length: 96 }, (_, i) => Date.UTC(2024, 0, 1 + (i % 31), 0, 15 * i)),
  ...Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 15, 15, 30, 10)),
].map((at) => at / 1000)
