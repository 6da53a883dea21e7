import fc from 'fast-check'
import { dateFormatOf, dateTimeFormatOf, formatBy, formatOrder } from './date-format'

const NOON = 1_705_312_800

describe('a date in a format', () => {
  it.each([
    ['YYYY-MM-DD', 0, '1970-01-01'],
    ['YYYY-MM-DD', -62_167_219_200, '0000-01-01'],
    ['MMMM Do, YYYY [at] dddd', 0, 'January 1st, 1970 at Thursday'],
    ['D/M/YY Q w W GGGG', 0, '1/1/70 1 1 1 1970'],
    ['YYYY-MM-DD', 1e300, '1e+300'],
    ['ddd D MMM', NOON, 'Mon 15 Jan'],
    ['GGGG WW gggg ww', Date.UTC(2021, 0, 3) / 1000, '2020 53 2021 02'],
    ['[Week] W', Date.UTC(2024, 11, 30) / 1000, 'Week 1'],
    ['Do', Date.UTC(2024, 0, 12) / 1000, '12th'],
    ['kk:mm:ss.SSS', 0.25, '24:00:00.250'],
    ['L LT', NOON, '01/15/2024 10:00 AM'],
    ['l LTS', NOON, '1/15/2024 10:00:00 AM'],
    ['LLLL', NOON, 'Monday, January 15, 2024 10:00 AM'],
    ['llll [L]', NOON, 'Mon, Jan 15, 2024 10:00 AM L'],
    ['LLL', NOON, 'January 15, 2024 10:00 AM'],
  ])('%s of %d is %s', (format, epoch, text) => {
    expect(formatBy(format, epoch, 'UTC')).toBe(text)
  })

  it('is that of the clocks of the zone', () => {
    const format = 'YYYY-MM-DD h:mma'
    expect(formatBy(format, NOON, 'UTC')).toBe('2024-01-15 10:00am')
    expect(formatBy(format, NOON, 'America/New_York')).toBe('2024-01-15 5:00am')
    expect(formatBy('HH:mm Z ZZ z X', NOON, 'America/New_York')).toBe(
      '05:00 -05:00 -0500 EST 1705312800',
    )
    expect(formatBy(format, NOON + 43_200.9, 'UTC')).toBe('2024-01-15 10:00pm')
  })

  it('is text, whatever the format', () => {
    const token = fc.constantFrom(...'YMDdHhmsaAQwWgGoeExXzZSkL[]%', 'Do', 'YYYY', 'zzz', ' ')
    const format = fc.array(token, { maxLength: 8 }).map((parts) => parts.join(''))
    const seconds = fc.double({ noNaN: true, min: -8.64e12, max: 8.64e12 })
    fc.assert(
      fc.property(seconds, format, (at, pattern) => {
        expect(typeof formatBy(pattern, at, 'Europe/Berlin')).toBe('string')
      }),
    )
  })
})

describe('the format of a column', () => {
  it('is that of the browser unless it has one', () => {
    expect(dateFormatOf({ dateFormat: '' })).toBeUndefined()
    expect(dateFormatOf({ dateFormat: 'Y'.repeat(101) })).toBeUndefined()
    expect(dateTimeFormatOf({ dateFormat: 5 })).toBeUndefined()
    expect(dateTimeFormatOf({ dateFormat: 'D/M' })).toBe('D/M h:mma')
    expect(dateTimeFormatOf({ timeFormat: 'HH:mm' })).toBe('YYYY-MM-DD HH:mm')
    expect(dateTimeFormatOf({ dateFormat: 'D/M', timeFormat: '' })).toBe('D/M')
  })

  it('has the order in which dates are entered', () => {
    expect(formatOrder({ dateFormat: 'dddd, D MMM YYYY' })).toEqual(['day', 'month', 'year'])
    expect(formatOrder({ dateFormat: '[My] MM/DD/YYYY' })).toEqual(['month', 'day', 'year'])
    expect(formatOrder({ dateFormat: 'L' })).toEqual(['month', 'day', 'year'])
    expect(formatOrder({ dateFormat: '[L]' })).toBeUndefined()
    expect(formatOrder({ dateFormat: 'MMM D' })).toBeUndefined()
    expect(formatOrder({})).toBeUndefined()
  })
})
