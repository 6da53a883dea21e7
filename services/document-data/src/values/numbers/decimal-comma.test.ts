import fc from 'fast-check'
import { withDecimalPoint } from './decimal-comma'

describe('a number with a decimal comma', () => {
  it.each([
    ['1,5', '1.5'],
    ['-1.234.567,89', '-1,234,567.89'],
    ['1 234,5', '1,234.5'],
    ["1'234,5", '1,234.5'],
    ['1.234', '1,234'],
    ['12', '12'],
    ['12,5 %', '12.5 %'],
    ['007,5', '007.5'],
  ])('%s is %s with a point', (text, expected) => {
    expect(withDecimalPoint(text)).toBe(expected)
  })

  it.each([
    '1.5',
    '1,234.5',
    '31.01.2024',
    '1,2,3',
    'a',
    '',
    ',5',
    '1.2345',
    '1 2345',
    '1.234 567',
  ])('%j is none', (text) => {
    expect(withDecimalPoint(text)).toBeUndefined()
  })

  it('is the number that it is in German', () => {
    const german = new Intl.NumberFormat('de-DE', { maximumFractionDigits: 6 })
    const english = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 })
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (number) => {
        expect(withDecimalPoint(german.format(number))).toBe(english.format(number))
      }),
    )
  })
})
