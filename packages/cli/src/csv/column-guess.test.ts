import fc from 'fast-check'
import { cellValue, ColumnGuess } from './column-guess'

function guess(values: string[]): string {
  const column = new ColumnGuess()
  for (const value of values) column.see(value)
  return column.type
}

describe('ColumnGuess', () => {
  it.each([
    ['Int', ['1', '', '-20', '0', '2147483647']],
    ['Numeric', ['1', '2.5', '-0.25', '']],
    ['Numeric', ['2147483648', '1']],
    ['Numeric', ['9007199254740991']],
    ['Numeric', ['1.50', '1.5e-7']],
    ['Bool', ['true', 'FALSE', 'True']],
    ['Date', ['2024-02-29', '', '0001-01-01']],
    ['Text', []],
    ['Text', ['', '']],
    ['Text', ['true', '']],
    ['Text', ['true', '1']],
    ['Text', ['004', '8']],
    ['Text', ['+49']],
    ['Text', ['-0']],
    ['Text', ['1', ' ']],
    ['Text', [' 1']],
    ['Text', ['12E4']],
    ['Text', ['9007199254740993']],
    ['Text', ['0.12345678901234567']],
    ['Text', ['-36138350359744410']],
    ['Text', ['1,000']],
    ['Text', ['2024-02-30']],
    ['Text', ['2024-1-2']],
    ['Text', ['2024-01-02', '1']],
    ['Text', ['NaN', 'Infinity']],
    ['Text', ['1.5e999']],
  ])('takes a column for %s with the values %j', (type, values) => expect(guess(values)).toBe(type))

  it('never chooses a type that changes what a value says', () => {
    const value = fc.oneof(
      fc.integer().map(String),
      fc.double({ noNaN: true }).map(String),
      fc.stringMatching(/^-?[0-9.eE+]{1,20}$/),
      fc.string(),
    )
    fc.assert(
      fc.property(value, (text) => {
        const column = new ColumnGuess()
        column.see(text)
        const json = JSON.stringify(cellValue(text, column.type))
        const back: unknown = JSON.parse(json)
        if (typeof back === 'string') expect(back).toBe(text)
        if (typeof back === 'number' && column.type !== 'Date') {
          expect(back).toBe(Number(text))
          if (/^-?\d+$/.test(text)) expect(BigInt(back)).toBe(BigInt(text))
        }
      }),
    )
  })
})

describe('cellValue', () => {
  it('returns cells the way their columns read them', () => {
    expect(cellValue('a"b', 'Text')).toBe('a"b')
    expect(cellValue('', 'Text')).toBe('')
    expect(cellValue('', 'Int')).toBeNull()
    expect(cellValue('TRUE', 'Bool')).toBe(true)
    expect(cellValue('False', 'Bool')).toBe(false)
    expect(cellValue('2024-01-02', 'Date')).toBe(1704153600)
    expect(cellValue('1.50', 'Numeric')).toBe(1.5)
  })
})
