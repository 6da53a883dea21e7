import fc from 'fast-check'
import { dateText, fieldText, readDateText, readField, formatDate, formatDateTime } from './date'

const DAY = 86_400
const at = (iso: string) => Date.parse(iso) / 1000
const days = fc.integer({ min: at('1600-01-01') / DAY, max: at('2400-01-01') / DAY })

describe('a date', () => {
  it('is read from the field that it is edited in', () => {
    fc.assert(
      fc.property(days, (day) => {
        expect(readField(fieldText(day * DAY) ?? '')).toBe(day * DAY)
      }),
    )
  })

  it('is read from how numbers tell it, in every language', () => {
    const locales = ['en-US', 'en-GB', 'de-DE', 'fr-FR', 'sv-SE', 'nl-NL', 'cs-CZ']
    fc.assert(
      fc.property(days, fc.constantFrom(...locales), (day, locale) => {
        const shown = new Intl.DateTimeFormat(locale, { timeZone: 'UTC' }).format(day * DAY * 1000)
        expect([shown, readDateText(shown, undefined, locale)]).toEqual([shown, day * DAY])
      }),
    )
  })

  it.each(['some day', '30.02.2024', '1/2', '', '2024', '13/13/2024', '1/2/3/4'])(
    'is not read from %j, which is left to the API',
    (text) => {
      expect(readDateText(text, undefined, 'en-GB')).toBeUndefined()
    },
  )

  it('has the year that is the nearest where two digits tell it', () => {
    expect(readDateText('1/2/24', undefined, 'en-US')).toBe(at('2024-01-02'))
    expect(readDateText('1/2/99', undefined, 'en-US')).toBe(at('1999-01-02'))
  })

  it('is shown as a day of the world, with the time where it is not the beginning of one', () => {
    expect(formatDate(at('1815-12-10'), 'en-GB')).toBe('10 Dec 1815')
    expect(formatDate(at('2024-01-02T10:20:00Z'), 'en-GB')).toMatch(/2 Jan 2024.*10:20/)
    expect(formatDate(1e300, 'en-GB')).toBe('1e+300')
    expect(formatDate(at('-000100-01-01T00:00:00Z'), 'en-GB')).toMatch(/^-000100/)
  })

  it('is no matter for a field where a field cannot hold it, and told as text then', () => {
    for (const value of ['some day', at('2024-01-02T10:20:00Z'), 1e300, -1e11, ['E', 'X']])
      expect(fieldText(value)).toBeUndefined()
    expect(dateText('some day')).toBe('some day')
    expect(dateText(at('2024-01-02T10:20:00Z'))).toBe('2024-01-02T10:20:00.000Z')
    expect(dateText(1e300)).toBe('1e+300')
    expect(fieldText(null)).toBe('')
    expect(readField('')).toBeNull()
  })
})

describe('an instant', () => {
  const zone = 'America/New_York'

  it('is read from the field that it is edited in, by the clocks of its zone', () => {
    expect(fieldText(at('2024-01-02T15:20:30Z'), zone)).toBe('2024-01-02T10:20:30')
    expect(readField('2024-01-02T10:20:30', zone)).toBe(at('2024-01-02T15:20:30Z'))
    expect(readField('2024-01-02T10:20', zone)).toBe(at('2024-01-02T15:20:00Z'))
  })

  it('is read from numbers in the order of the language', () => {
    expect(readDateText('2.1.2024 10:20', zone, 'de-DE')).toBe(at('2024-01-02T15:20:00Z'))
    expect(readDateText('1/2/2024, 10:20:30 PM', zone, 'en-US')).toBe(at('2024-01-03T03:20:30Z'))
    expect(readDateText('1/2/2024 12:05am', zone, 'en-US')).toBe(at('2024-01-02T05:05:00Z'))
    expect(readDateText('1/2/2024 25:00', zone, 'en-US')).toBeUndefined()
  })

  it('is shown by the clocks of its zone', () => {
    expect(formatDateTime(at('2024-01-02T15:20:00Z'), zone, 'en-GB')).toBe('2 Jan 2024, 10:20')
    expect(formatDateTime(at('2024-01-02T15:20:30Z'), zone, 'en-GB')).toBe('2 Jan 2024, 10:20:30')
  })
})
