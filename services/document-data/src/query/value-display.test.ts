import fc from 'fast-check'
import { numberText } from '../export/number-style'
import { columnType } from '../values/column-types'
import {
  canContain,
  displayFinds,
  foldText,
  valueDisplayOf,
  type ValueDisplay,
} from './value-display'

/** Languages that group digits from four on, from five on, by two and three, or have digits of their own. */
const LOCALES = ['en', 'de', 'es', 'it', 'pl', 'pt-PT', 'bg', 'hu', 'lv', 'hi', 'ar-EG', 'de-CH']
const FORMATS = [
  {},
  { numMode: 'currency', currency: 'EUR' },
  { numMode: 'percent' },
  { numMode: 'percent', decimals: 2 },
  { numMode: 'decimal' },
  { numMode: 'scientific' },
  { numSign: 'parens', decimals: 1 },
]

const dates = (zone: string, locale: string): ValueDisplay => ({
  as: 'locale',
  locale,
  zone,
  withTime: true,
})

describe('canContain', () => {
  it('is true of every part of a number as a language shows it', () => {
    const number = fc.oneof(
      fc.double({ min: 0.5, max: 1e7, noNaN: true }),
      fc.integer({ min: 1, max: 99_999 }),
      fc.integer({ min: 50, max: 9_999_999 }).map((cents) => cents / 100),
    )
    const sign = fc.constantFrom(1, -1)
    const locale = fc.constantFrom(...LOCALES)
    fc.assert(
      fc.property(
        number,
        sign,
        locale,
        fc.constantFrom(...FORMATS),
        (size, sign, locale, options) => {
          const shown = { type: columnType('Numeric'), options, zone: 'UTC' }
          const display = valueDisplayOf(shown, { locale, usual: 'en-US' })
          if (display?.as !== 'number') return
          const text = foldText(numberText(size * sign, display.style))
          expect([text, canContain(display, text)]).toEqual([text, true])
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('is false of what no value of a column has in it', () => {
    const shown = { type: columnType('Numeric'), options: FORMATS[1] ?? {}, zone: 'UTC' }
    const display = valueDisplayOf(shown, { locale: 'es', usual: 'en-US' })
    if (!display) throw new Error('amounts of money have a format')
    for (const text of ['ada', '$', '12345']) expect(canContain(display, text)).toBe(false)
    for (const text of ['1234,50 €', '-', '12.345']) expect(canContain(display, text)).toBe(true)
  })

  it.each(['zh-TW', 'zh-Hant-HK', 'hi', 'en', 'am'])(
    'is true of the time of every minute of a day as %s shows it',
    (locale) => {
      const format = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' })
      const missing = Array.from({ length: 1440 }, (_, minute) => format.format(minute * 60_000))
        .map(foldText)
        .filter((text) => !canContain(dates('UTC', locale), text))
      expect(missing).toEqual([])
    },
  )
})

describe('the display of values', () => {
  afterEach(() => jest.restoreAllMocks())

  it('makes its formatters of dates once for a language, however many columns and zones there are', () => {
    const made = jest.spyOn(Intl, 'DateTimeFormat')
    const specs = Intl.supportedValuesOf('timeZone')
      .slice(0, 40)
      .map((zone) => JSON.stringify({ display: dates(zone, 'nl'), text: '2024' }))
    const noon = Date.UTC(2024, 5, 1, 12) / 1000
    for (let row = 0; row < 3; row++)
      for (const spec of specs) expect(displayFinds(noon, spec)).toBe(1)
    expect(made.mock.calls.filter(([locale]) => locale === 'nl')).toHaveLength(5)
  })

  it('makes its formatters of numbers once for a language, however many columns and searches there are', () => {
    const made = jest.spyOn(Intl, 'NumberFormat')
    const shown = { type: columnType('Numeric'), options: {}, zone: 'UTC' }
    for (let column = 0; column < 100; column++)
      valueDisplayOf(shown, { locale: 'nl', usual: 'en-US' })
    expect(made.mock.calls.length).toBeLessThanOrEqual(2)
  })
})
