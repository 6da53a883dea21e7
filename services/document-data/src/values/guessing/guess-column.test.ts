import fc from 'fast-check'
import type { Cell } from '../column-type'
import { columnType } from '../column-types'
import { guessColumn } from './guess-column'

const settings = { timezone: 'Europe/Berlin', locale: 'en-US' }

describe('guessColumn', () => {
  it.each<[Cell[], string, object?]>([
    [['5'], 'Numeric'],
    [[5], 'Numeric'],
    [['0', 3000000000, 1.5], 'Numeric'],
    [['$5'], 'Numeric', { numMode: 'currency', decimals: 0 }],
    [['1,000'], 'Numeric', { numMode: 'decimal' }],
    [['12%'], 'Numeric', { numMode: 'percent' }],
    [['true'], 'Bool'],
    [['true', 'false'], 'Bool'],
    [[true], 'Numeric'],
    [['yes'], 'Text'],
    [['2024-01-01'], 'Date', { dateFormat: 'YYYY-MM-DD' }],
    [['01/02/2024'], 'Date', { dateFormat: 'MM/DD/YYYY' }],
    [['25/12/2024'], 'Date', { dateFormat: 'DD/MM/YYYY' }],
    [['Jan 2 2024'], 'Date', { dateFormat: 'MMM D YYYY' }],
    [
      ['2024-01-01 10:00'],
      'DateTime:Europe/Berlin',
      { dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm' },
    ],
    [['abc'], 'Text'],
    [['a,b'], 'Text'],
    [['[1,2]'], 'Text'],
    [['=1+1'], 'Text'],
    [['https://example.com/'], 'Text'],
    [[['L', 1]], 'Text'],
    [[['d', 0]], 'Text'],
    [[5, 'x'], 'Text'],
    [['5', 'x'], 'Text'],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 'x'], 'Numeric'],
    [[null, '', 'abc'], 'Text'],
  ])('takes %j for %s', (...row) => {
    const [cells, type, options] = row
    const guess = guessColumn(cells, settings)
    expect(guess?.type).toBe(type)
    expect(
      guess?.widgetOptions === undefined ? undefined : JSON.parse(guess.widgetOptions),
    ).toEqual(options)
  })

  it('leaves a column without values empty', () => {
    expect(guessColumn([null, '', null], settings)).toBeUndefined()
    expect(guessColumn([], settings)).toBeUndefined()
  })

  it('always names a type that exists', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null))),
        (cells) => {
          const guess = guessColumn(cells, settings)
          if (guess) expect(columnType(guess.type)).toBeDefined()
        },
      ),
    )
  })
})
