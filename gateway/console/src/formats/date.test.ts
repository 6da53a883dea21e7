import fc from 'fast-check'
import {
  dateText,
  fieldText,
  orderOf,
  readDateText,
  readField,
  formatDate,
  formatDateTime,
} from './date'

const DAY = 86_400
const at = (iso: string) => Date.parse(iso) / 1000
const days = fc.integer({ min: at('1600-01-01') / DAY, max: at('2400-01-01') / DAY })

describe('a date', () => {
  it('is parsed from the native field', () => {
    fc.assert(
      fc.property(days, (day) => {
        expect(readField(fieldText(day * DAY) ?? '')).toBe(day * DAY)
      }),
    )
  })

  it('is parsed from numeric notation in every locale', () => {
    const locales = ['en-US', 'en-GB', 'de-DE', 'fr-FR', 'sv-SE', 'nl-NL', 'cs-CZ']
    fc.assert(
      fc.property(days, fc.constantFrom(...locales), (day, locale) => {
        const shown = new Intl.DateTimeFormat(locale, { timeZone: 'UTC' }).format(day * DAY * 1000)
        expect([shown, readDateText(shown, undefined, orderOf(locale))]).toEqual([shown, day * DAY])
      }),
    )
  })

  it.each(['some day', '30.02.2024', '1/2', '', '2024', '13/13/2024', '1/2/3/4'])(
    'is not parsed from %j, which is left to the API',
    (text) => {
      expect(readDateText(text, undefined, orderOf('en-GB'))).toBeUndefined()
    },
  )

  it('expands two-digit years to the closest year', () => {
    expect(readDateText('1/2/24', undefined, orderOf('en-US'))).toBe(at('2024-01-02'))
    expect(readDateText('1/2/99', undefined, orderOf('en-US'))).toBe(at('1999-01-02'))
  })

  it('is displayed in UTC, with the time if it is not midnight', () => {
    expect(formatDate(at('1815-12-10'), 'en-GB')).toBe('10 Dec 1815')
    expect(formatDate(at('2024-01-02T10:20:00Z'), 'en-GB')).toMatch(/2 Jan 2024.*10:20/)
    expect(formatDate(1e300, 'en-GB')).toBe('1e+300')
    expect(formatDate(at('-000100-01-01T00:00:00Z'), 'en-GB')).toMatch(/^-000100/)
  })

  it('is edited as text if a native field cannot hold it', () => {
    for (const value of ['some day', at('2024-01-02T10:20:00Z'), 1e300, -1e11, ['E', 'X']])
      expect(fieldText(value)).toBeUndefined()
    expect(dateText('some day')).toBe('some day')
    expect(dateText(at('2024-01-02T10:20:00Z'))).toBe('2024-01-02T10:20:00.000Z')
    expect(dateText(1e300)).toBe('1e+300')
    expect(fieldText(null)).toBe('')
    expect(readField('')).toBeNull()
    expect(readField('122025-01-02')).toBe(at('+122025-01-02T00:00:00Z'))
    expect(readField('12025-01-02T03:04', 'UTC')).toBe(at('+012025-01-02T03:04:00Z'))
  })
})

describe('a date with a time', () => {
  const zone = 'America/New_York'

  it('is parsed from the native field in its time zone', () => {
    expect(fieldText(at('2024-01-02T15:20:30Z'), zone)).toBe('2024-01-02T10:20:30')
    expect(readField('2024-01-02T10:20:30', zone)).toBe(at('2024-01-02T15:20:30Z'))
    expect(readField('2024-01-02T10:20', zone)).toBe(at('2024-01-02T15:20:00Z'))
  })

  it('is parsed from numeric notation in the order of the locale', () => {
    expect(readDateText('2.1.2024 10:20', zone, orderOf('de-DE'))).toBe(at('2024-01-02T15:20:00Z'))
    expect(readDateText('1/2/2024, 10:20:30 PM', zone, orderOf('en-US'))).toBe(
      at('2024-01-03T03:20:30Z'),
    )
    expect(readDateText('1/2/2024 12:05am', zone, orderOf('en-US'))).toBe(
      at('2024-01-02T05:05:00Z'),
    )
    expect(readDateText('1/2/2024 25:00', zone, orderOf('en-US'))).toBeUndefined()
  })

  it('is displayed in its time zone', () => {
    expect(formatDateTime(at('2024-01-02T15:20:00Z'), zone, 'en-GB')).toBe('2 Jan 2024, 10:20')
    expect(formatDateTime(at('2024-01-02T15:20:30Z'), zone, 'en-GB')).toBe('2 Jan 2024, 10:20:30')
  })
})
