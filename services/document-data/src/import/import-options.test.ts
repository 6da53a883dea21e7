import fc from 'fast-check'
import { detectDecimal } from './import-options'

describe('the decimal separator of delimited text', () => {
  it.each([
    ['a;b\n1,5;x\n', ';', ','],
    ['a;b\n"1.234,50";x\n', ';', ','],
    ['a;b\n1.5;2,5\n', ';', '.'],
    ['a;b\n1,500;2\n', ';', '.'],
    ['a\tb\n1,5\t2\n', '\t', ','],
    ['a,b\n"1,5",2\n', ',', '.'],
    ['a;b\n31.01.2024;x, y\n', ';', '.'],
    ['', ';', '.'],
  ])('of %j with %j is %j', (text, delimiter, expected) => {
    expect(detectDecimal(text, delimiter)).toBe(expected)
  })

  it('is the one that the numbers were written with', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 1e7 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(
        amounts,
        fc.constantFrom(';', '\t', '|'),
        fc.constantFrom('.', ','),
        fc.constantFrom('\n', '\r\n'),
        (cents, delimiter, decimal, newline) => {
          const rows = cents.map(
            (n) => `x${delimiter}${(n / 100).toFixed(2).replace('.', decimal)}`,
          )
          expect(detectDecimal(rows.join(newline), delimiter)).toBe(decimal)
        },
      ),
    )
  })
})
