import fc from 'fast-check'
import type { Cell } from '../column-type'
import { columnType } from '../column-types'
import { TypeSurvey } from './type-survey'

const settings = { timezone: 'UTC', locale: 'en-US' }

function guess(...cells: Cell[]) {
  const survey = new TypeSurvey(settings)
  for (const cell of cells) survey.see(cell)
  return survey.guess
}

const options = (value: object) => JSON.stringify(value)

describe('the type of a column', () => {
  it.each<[string, Cell[], object | undefined]>([
    ['whole numbers', ['1', '-7', '', '2147483647'], { type: 'Int' }],
    ['whole numbers of JSON', [1, null, 2], { type: 'Int' }],
    ['large whole numbers', ['2147483648'], { type: 'Numeric' }],
    ['numbers', ['1', '2.50', '-0.1', '1.5e-3'], { type: 'Numeric' }],
    ['codes with leading zeros', ['1', '007'], { type: 'Text' }],
    ['a minus before a zero', ['-0'], { type: 'Text' }],
    ['a code like a power', ['12E4'], { type: 'Text' }],
    ['long digit strings', ['12345678901234567890'], { type: 'Text' }],
    ['whole numbers that a double skips', ['9007199254740993'], { type: 'Text' }],
    ['whole numbers that a double may stand for', ['9007199254740994'], { type: 'Text' }],
    ['numbers that are too small', ['1.5e-400'], { type: 'Text' }],
    ['numbers that are too large', ['1.5e400'], { type: 'Text' }],
    ['money that is too much', ['$1e999'], { type: 'Text' }],
    ['money that is too little', ['$1e-999'], { type: 'Text' }],
    ['no money', ['$0.00'], { type: 'Numeric', widgetOptions: options({ numMode: 'currency' }) }],
    ['long digit strings with separators', ['12,345,678,901,234,567,890'], { type: 'Text' }],
    [
      'money',
      ['$1.50', '$2'],
      { type: 'Numeric', widgetOptions: options({ numMode: 'currency' }) },
    ],
    ['percents', ['5%'], { type: 'Numeric', widgetOptions: options({ numMode: 'percent' }) }],
    [
      'money, the first without cents',
      ['$5', '$5.25'],
      {
        type: 'Numeric',
        widgetOptions: options({ numMode: 'currency' }),
      },
    ],
    [
      'money without cents',
      ['$5', '$1,500'],
      {
        type: 'Numeric',
        widgetOptions: options({ numMode: 'currency', decimals: 0 }),
      },
    ],
    ['numbers and percents', ['50', '50%'], { type: 'Text' }],
    ['numbers of JSON and percents', [50, '50%'], { type: 'Text' }],
    ['thousands and percents', ['5%', '1,500'], { type: 'Text' }],
    ['money and percents', ['$5', '5%'], { type: 'Text' }],
    ['money and numbers', ['$1.50', '2'], { type: 'Text' }],
    ['percents of money', ['$5%'], { type: 'Text' }],
    [
      'thousands',
      ['1,500', '12'],
      { type: 'Numeric', widgetOptions: options({ numMode: 'decimal' }) },
    ],
    ['blanks around', [' 1'], { type: 'Text' }],
    ['truths', ['true', 'FALSE'], { type: 'Bool' }],
    ['truths of JSON', [true, false], { type: 'Bool' }],
    ['truths with a blank', ['true', ''], { type: 'Text' }],
    ['truths and numbers', [true, 1], { type: 'Text' }],
    [
      'days',
      ['2024-01-31', ''],
      { type: 'Date', widgetOptions: options({ dateFormat: 'YYYY-MM-DD' }) },
    ],
    ['days that are none', ['2024-02-30'], { type: 'Text' }],
    [
      'days by month',
      ['1/2/2024', '1/31/2024'],
      { type: 'Date', widgetOptions: options({ dateFormat: 'MM/DD/YYYY' }) },
    ],
    [
      'days by day',
      ['1/2/2024', '31/1/2024'],
      { type: 'Date', widgetOptions: options({ dateFormat: 'DD/MM/YYYY' }) },
    ],
    ['days that may be months throughout', ['01/02/2024', '03/04/2024'], { type: 'Text' }],
    ['a day that is the same either way', ['1/1/2024'], { type: 'Text' }],
    ['instants whose day may be the month', ['01-02-2024 10:00'], { type: 'Text' }],
    ['days in two forms', ['2024-01-31', '31.01.2024'], { type: 'Text' }],
    [
      'instants',
      ['2024-01-31', '2024-01-31 10:20:30'],
      {
        type: 'DateTime:UTC',
        widgetOptions: options({ dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm:ss' }),
      },
    ],
    [
      'instants of a zone that the document does not have',
      ['2024-01-31 10:00 EST'],
      { type: 'Text' },
    ],
    [
      'coded days',
      [['d', 0], null],
      { type: 'Date', widgetOptions: options({ dateFormat: 'YYYY-MM-DD' }) },
    ],
    [
      'coded days and texts of days',
      [['d', 0], '2024-01-31'],
      { type: 'Date', widgetOptions: options({ dateFormat: 'YYYY-MM-DD' }) },
    ],
    [
      'coded days and instants',
      [
        ['d', 0],
        ['D', 60, 'UTC'],
      ],
      {
        type: 'DateTime:UTC',
        widgetOptions: options({ dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm' }),
      },
    ],
    ['coded days and numbers', [['d', 0], 5], { type: 'Text' }],
    ['words', ['1', 'a'], { type: 'Text' }],
    ['nothing', ['', null], undefined],
  ])('of %s', (_, cells, expected) => {
    expect(guess(...cells)).toEqual(expected)
  })

  it('does not depend on the order of the values', () => {
    const some = fc.constantFrom<Cell>(
      '1',
      '2.5',
      '$3',
      '$3.50',
      '4%',
      '1,500',
      '007',
      'true',
      '',
      null,
      '2024-01-31',
      '1/2/2024',
      '31/1/2024',
      '2024-01-31 10:20',
      'x',
      5,
      true,
    )
    fc.assert(
      fc.property(fc.array(some, { maxLength: 6 }), (cells) => {
        expect(guess(...cells.toReversed())).toEqual(guess(...cells))
      }),
    )
  })

  it('is one that stores every value that is not blank as what it means', () => {
    const some = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.double({ noNaN: true }).map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
      fc.stringMatching(/^[-$]?\d{1,3}(,\d{3})*(\.\d+)?%?$/),
    )
    fc.assert(
      fc.property(some, (text) => {
        const found = guess(text)
        if (!found || text === '') return
        const type = columnType(found.type)
        const widgetOptions = JSON.parse(found.widgetOptions ?? '{}') as Record<string, unknown>
        const stored = type.toStored(text, { settings, widgetOptions }, { noParse: false })
        if (type.name === 'Text') expect(stored).toBe(text)
        else expect(typeof stored).not.toBe('string')
        if (type.name === 'Int') expect(String(stored)).toBe(text)
      }),
    )
  })
})
