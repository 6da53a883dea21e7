import fc from 'fast-check'
import { sampleColumn } from '../api/sample-column'
import { cellText, readCell } from './cell-text'

const column = (type: string, widgetOptions = '') => sampleColumn('C', { type, widgetOptions })
const percent = column('Numeric', '{"numMode":"percent"}')

describe('the text of a cell', () => {
  it('is parsed back to the same value', () => {
    const second = fc.integer({ min: Date.UTC(1600) / 1000, max: Date.UTC(2400) / 1000 })
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0)
    const cells: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
      ['Numeric', number],
      ['Int', fc.integer()],
      ['Any', number],
      ['Date', second.map((at) => at - (((at % 86_400) + 86_400) % 86_400))],
      ['DateTime:UTC', second],
      ['Text', fc.string()],
    ]
    for (const [type, values] of cells)
      fc.assert(
        fc.property(values, (value) => {
          expect(readCell(cellText(value, column(type)), column(type))).toEqual(value)
        }),
      )
    fc.assert(
      fc.property(number, (value) => {
        expect(readCell(cellText(value, percent), percent)).toBe(value)
      }),
    )
  })

  it('has all digits and no display formatting', () => {
    const rounded = column('Numeric', '{"numMode":"currency","decimals":0}')
    expect(cellText(1.3333, rounded)).toBe('1.3333')
    expect(cellText(0.3333, percent)).toBe('33.33%')
    expect([true, false].map((value) => cellText(value, column('Bool')))).toEqual(['true', 'false'])
    expect(cellText(['L', 'a', 'b'], column('ChoiceList'))).toBe('a, b')
    const quoted = cellText(['L', 'a, b', '[c]', '"d"', 'e"f'], column('ChoiceList'))
    expect(quoted).toBe('"a, b", "[c]", """d""", e"f')
    expect(cellText(null, column('Date'))).toBe('')
  })

  it('is parsed in the order of the date format of the column', () => {
    const [march, may] = [Date.UTC(2024, 2, 5) / 1000, Date.UTC(2024, 4, 3) / 1000]
    expect(readCell('05/03/2024', column('Date', '{"dateFormat":"DD/MM/YYYY"}'))).toBe(march)
    expect(readCell('05/03/2024', column('Date', '{"dateFormat":"MM/DD/YYYY"}'))).toBe(may)
    expect(readCell('2024-03-05', column('Date', '{"dateFormat":"MM/DD/YYYY"}'))).toBe(march)
  })

  it('is left to the API if it is not a value of the type', () => {
    for (const [type, text] of [
      ['Numeric', '$5'],
      ['Int', 'five'],
      ['Date', 'some day'],
      ['DateTime:UTC', 'tomorrow'],
      ['Bool', 'yes'],
      ['Ref:People', 'Ada'],
    ] as const)
      expect(readCell(text, column(type))).toBe(text)
    expect(['Int', 'Date', 'DateTime:UTC'].map((type) => readCell(' ', column(type)))).toEqual([
      null,
      null,
      null,
    ])
  })
})
