import { numberText, readNumberStyle } from './number-style'

const write = (value: number, options: object, locale = 'en-US') =>
  numberText(value, readNumberStyle({ ...options }, locale))

describe('numbers', () => {
  it.each([
    [1_234_567.891, '1234567.891'],
    [0.1, '0.1'],
    [1e21, '1000000000000000000000'],
    [1 / 3, '0.3333333333'],
    [-0, '0'],
    [-1e-12, '0'],
    [1e-7, '0.0000001'],
  ])('without a style have up to ten decimals and no exponent: %s', (value, text) => {
    expect(write(value, {})).toBe(text)
  })

  it.each<[object, string, string]>([
    [{ numMode: 'currency' }, 'en-US', '-$1,234.50'],
    [{ numMode: 'currency' }, 'de-DE', '-1.234,50\u00a0€'],
    [{ numMode: 'currency', currency: 'JPY', numSign: 'parens' }, 'en-US', '(¥1,235)'],
    [{ numMode: 'currency', currency: 'no code' }, 'en-GB', '-£1,234.50'],
    [{ numMode: 'percent' }, 'en-US', '-123,450%'],
    [{ numMode: 'scientific' }, 'en-US', '-1.235E3'],
    [{ numMode: 'decimal', decimals: 3 }, 'en-US', '-1,234.500'],
    [{ decimals: 2 }, 'en-US', '-1234.50'],
    [{ maxDecimals: 0 }, 'en-US', '-1235'],
    [{ decimals: 99, maxDecimals: -5 }, 'en-US', `-1234.5${'0'.repeat(19)}`],
    [{ numMode: 'decimal' }, 'no locale at all', '-1,234.5'],
    [{ numMode: 'unknown', decimals: 'x' }, 'en-US', '-1234.5'],
  ])('with %j in %s are written so', (options, locale, text) => {
    expect(write(-1234.5, options, locale)).toBe(text)
  })
})
