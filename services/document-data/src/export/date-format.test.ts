import fc from 'fast-check'
import { dateText, dateTimeText, padFormat, strptimePattern } from './date-format'

const NOON = 1_705_312_800

describe('dates in a format', () => {
  it('are those of the calendar, also long ago and far away', () => {
    expect(dateText(0, 'YYYY-MM-DD')).toBe('1970-01-01')
    expect(dateText(-62_167_219_200, 'YYYY-MM-DD')).toBe('0000-01-01')
    expect(dateText(0, 'MMMM Do, YYYY [at] dddd')).toBe('January 1st, 1970 at Thursday')
    expect(dateText(0, 'D/M/YY Q w W GGGG')).toBe('1/1/70 1 1 1 1970')
    expect(dateText(NOON, 'L, LLLL [L]')).toBe('01/15/2024, Monday, January 15, 2024 10:00 AM L')
    expect(dateText(NOON, 'll LT')).toBe('Jan 15, 2024 10:00 AM')
    expect(dateText(1e300, 'YYYY-MM-DD')).toBe('1e+300')
  })

  it('are those of the clocks of the zone', () => {
    const format = 'YYYY-MM-DD h:mma'
    expect(dateTimeText(NOON, format, 'UTC')).toBe('2024-01-15 10:00am')
    expect(dateTimeText(NOON, format, 'America/New_York')).toBe('2024-01-15 5:00am')
    expect(dateTimeText(NOON, 'HH:mm Z ZZ z X', 'America/New_York')).toBe(
      '05:00 -05:00 -0500 EST 1705312800',
    )
    expect(dateTimeText(NOON + 43_200.9, format, 'UTC')).toBe('2024-01-15 10:00pm')
  })

  it('are text, whatever the format', () => {
    const token = fc.constantFrom(...'YMDdHhmsaAQwWgGoeExXzZSkL[]%', 'Do', 'YYYY', 'zzz', ' ')
    const format = fc.array(token, { maxLength: 8 }).map((parts) => parts.join(''))
    const seconds = fc.double({ noNaN: true, min: -8.64e12, max: 8.64e12 })
    fc.assert(
      fc.property(seconds, format, (at, pattern) => {
        expect(typeof dateTimeText(at, pattern, 'Europe/Berlin')).toBe('string')
        strptimePattern(pattern)
      }),
    )
  })
})

describe('a padded format', () => {
  it('has two digits for everything but the year', () => {
    expect(padFormat('D/M/YY [at h] h:m:sa Do MMM')).toBe('DD/MM/YY [at h] hh:mm:ssa Do MMM')
  })
})

describe('a pattern for strptime', () => {
  it.each([
    ['YYYY-MM-DD h:mma', '%Y-%m-%d %I:%M%p'],
    ['DD MMM YYYY', '%d %b %Y'],
    ['MM/DD/YY HH:mm:ss', '%m/%d/%y %H:%M:%S'],
    ['[100%] D.M.YYYY', '100%% %d.%m.%Y'],
    ['MMMM Do, YYYY', undefined],
    ['Q YYYY', undefined],
    ['YYYY-MM-DD z', undefined],
  ])('of %s is %s', (format, pattern) => {
    expect(strptimePattern(format)).toBe(pattern)
  })
})
