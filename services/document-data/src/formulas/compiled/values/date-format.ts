import { DateValue, needsPython, type MomentValue } from './values'

const MS = 86_400_000
/** Years before this one have other digits on some machines. */
const FIRST_YEAR = 1000

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
]
/** Letters of the short names of days and months. */
const SHORT = 3

const digits = (number: number, length = 2) => String(number).padStart(length, '0')
const dayName = (date: Date) => DAYS[date.getUTCDay()] ?? ''
const monthName = (date: Date) => MONTHS[date.getUTCMonth()] ?? ''

/** The directives of `strftime` that mean the same everywhere. */
const directives: Readonly<Record<string, (date: Date) => string>> = {
  '%': () => '%',
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => digits(date.getUTCFullYear() % 100),
  m: (date) => digits(date.getUTCMonth() + 1),
  d: (date) => digits(date.getUTCDate()),
  H: (date) => digits(date.getUTCHours()),
  I: (date) => digits(date.getUTCHours() % 12 || 12),
  M: (date) => digits(date.getUTCMinutes()),
  S: (date) => digits(date.getUTCSeconds()),
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  j: (date) => digits(Math.floor((+date - Date.UTC(date.getUTCFullYear(), 0, 1)) / MS) + 1, 3),
  A: dayName,
  a: (date) => dayName(date).slice(0, SHORT),
  B: monthName,
  b: (date) => monthName(date).slice(0, SHORT),
}

/** `date.strftime(format)`. Other directives are Python's, and years of less than four digits. */
export function dateFormat(value: DateValue | MomentValue, format: string): string {
  const date = new Date(value instanceof DateValue ? value.days * MS : value.local * 1000)
  if (date.getUTCFullYear() < FIRST_YEAR || /[^ -~]/.test(format)) return needsPython()
  return format.replace(/%(.?)/g, (_, letter: string) => {
    const write = Object.hasOwn(directives, letter) ? directives[letter] : undefined
    return write ? write(date) : needsPython()
  })
}
