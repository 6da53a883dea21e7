import fc from 'fast-check'
import { editedText, formatNumber, numberText, readFormatted, readNumber } from './number'

const locales = ['en-US', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'sv-SE', 'ar-EG', 'fa-IR']

describe('a number', () => {
  it('is parsed from its editable text in every locale', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(finite, fc.constantFrom(...locales), (value, locale) => {
        expect(readNumber(numberText(value, locale), locale)).toBe(value === 0 ? 0 : value)
      }),
    )
  })

  it('is parsed from its display text in every locale', () => {
    const cents = fc.integer({ min: -(10 ** 12), max: 10 ** 12 }).map((n) => n / 100)
    fc.assert(
      fc.property(cents, fc.constantFrom(...locales), (value, locale) => {
        const shown = formatNumber(value, { numMode: 'decimal', maxDecimals: 2 }, locale)
        expect([shown, readNumber(shown, locale)]).toEqual([shown, value === 0 ? 0 : value])
      }),
    )
  })

  it('is parsed from its display text in a format, in every locale', () => {
    const cents = fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((n) => n / 100)
    const format = fc.constantFrom(
      { numMode: 'currency', currency: 'EUR' },
      { numMode: 'currency', currency: 'CHF', numSign: 'parens' },
      { numMode: 'percent', maxDecimals: 2 },
      { numMode: 'decimal', numSign: 'parens', maxDecimals: 2 },
      { numMode: 'scientific', maxDecimals: 12 },
    )
    const plainDigits = locales.filter((locale) => !['ar-EG', 'fa-IR'].includes(locale))
    fc.assert(
      fc.property(cents, fc.constantFrom(...plainDigits), format, (given, locale, options) => {
        const value = options.numMode === 'percent' ? Number(`${given}e-2`) : given
        const shown = formatNumber(value, options, locale)
        expect([shown, (readFormatted(shown, options, locale) ?? NaN) + 0]).toEqual([
          shown,
          value + 0,
        ])
      }),
    )
  })

  it('is edited as a percentage in a column of percentages, with all its digits', () => {
    const percent = { numMode: 'percent' }
    expect([0.5, 0.07, -1.234, 1e-9].map((value) => editedText(value, percent, 'en-US'))).toEqual([
      '50%',
      '7%',
      '-123.4%',
      '1e-7%',
    ])
    expect(editedText(0.5, { numMode: 'currency' }, 'de-DE')).toBe('0,5')
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 })
    fc.assert(
      fc.property(finite, (value) => {
        expect(readFormatted(editedText(value, percent, 'de-DE'), percent, 'de-DE')).toBe(value + 0)
      }),
    )
  })

  it.each([
    [{ numMode: 'percent' }, '50%', 0.5],
    [{ numMode: 'percent' }, '50', 0.5],
    [{ numMode: 'percent' }, '0.5', 0.005],
    [{ numMode: 'percent' }, '-7', -0.07],
    [{ numMode: 'percent' }, '1,250.5', 12.505],
    [{ numMode: 'percent', numSign: 'parens' }, '(50)', -0.5],
    [{ numMode: 'percent' }, '50%%', undefined],
    [{ numMode: 'percent' }, '%', undefined],
    [{ numMode: 'currency', currency: 'EUR' }, '€ 5', 5],
    [{ numMode: 'currency', currency: 'EUR' }, '-5 EUR', -5],
    [{ numMode: 'currency', currency: 'EUR' }, '$5', undefined],
    [{ numMode: 'currency' }, '1,234.50', 1234.5],
    [{ numMode: 'currency' }, '$5', undefined],
    [{ numSign: 'parens' }, '(7)', -7],
    [{ numSign: 'parens' }, '(-7)', undefined],
    [{}, '(7)', undefined],
  ])('in a column with %j is read from %s', (options, text, value) => {
    expect(readFormatted(text, options, 'en-US')).toBe(value)
  })

  it.each([
    ['en-US', '1,234.5', 1234.5],
    ['en-US', ' -7 ', -7],
    ['en-US', '.5', 0.5],
    ['en-US', '5.', 5],
    ['en-US', '1e3', 1000],
    ['de-DE', '1.234,5', 1234.5],
    ['fr-FR', '1 234,5', 1234.5],
    ['en-IN', '12,34,567', 1_234_567],
  ])('in %s is read from %s', (locale, text, value) => {
    expect(readNumber(text, locale)).toBe(value)
  })

  it.each(['', '-', 'abc', '12%', '$5', '1,2,3', '--5', '1e400', '.', 'Infinity'])(
    'is not parsed from %j, which is left to the API',
    (text) => {
      expect(readNumber(text, 'en-US')).toBeUndefined()
    },
  )

  it.each([
    [{}, 2024, '2024'],
    [{}, 0.1 + 0.2, '0.3'],
    [{}, 1e21, '1e+21'],
    [{}, 1e-12, '1e-12'],
    [{ numMode: 'decimal' }, 1234567.891, '1,234,567.891'],
    [{ numMode: 'currency', currency: 'EUR' }, 5, '€5.00'],
    [{ numMode: 'percent' }, 0.12, '12%'],
    [{ decimals: 2 }, 1.5, '1.50'],
    [{ maxDecimals: 1 }, 1.25, '1.3'],
    [{ numMode: 'decimal', numSign: 'parens' }, -1200, '(1,200)'],
    [{ numMode: 'currency', currency: 'no code', decimals: 'x' }, 5, '5.00'],
    [{ numMode: 'currency' }, 1234.5, '1,234.50'],
    [{ numMode: 'currency', decimals: 0, maxDecimals: 0 }, 5, '5'],
  ])('with the options %j shows %d as %s', (options, value, shown) => {
    expect(formatNumber(value, options, 'en-US')).toBe(shown)
  })
})
