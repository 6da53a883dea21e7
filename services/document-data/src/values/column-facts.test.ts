import type { Cell, ColumnContext } from './column-type'
import { columnType } from './column-types'

/** Cells as read after a write: [type, input, cell, cell with noparse if different]. */
type Fact = [type: string, input: Cell, reads: Cell, unparsed?: Cell]

const DAY = 1704153600
const NY = 'DateTime:America/New_York'

const facts: readonly Fact[] = [
  ['Text', ' spaced ', ' spaced '],
  ['Text', '=1', '=1'],
  ['Text', null, null],
  ['Text', '', ''],
  ['Text', 1, '1'],
  ['Text', 123456789012, '123456789012'],
  ['Text', 1e15, '1000000000000000'],
  ['Text', 1.5, '1.5'],
  ['Text', 0.1, '0.1'],
  ['Text', -0.25, '-0.25'],
  ['Text', 1e-7, '1e-07'],
  ['Text', 1e20, '1e+20'],
  ['Text', 1e21, '1e+21'],
  ['Text', true, 'True'],
  ['Text', false, 'False'],
  ['Text', ['L', 'a'], "['a']"],
  ['Text', ['d', 86400], '1970-01-02'],
  ['Text', ['L', 1, null, true, "it's"], '[1, None, True, "it\'s"]'],
  ['Text', ['O', { x: 1 }], "{'x': 1}"],
  ['Text', ['D', 1704190830, 'America/New_York'], '2024-01-02 05:20:30-05:00'],
  ['Choice', 'unlisted', 'unlisted'],
  ['Choice', 5, '5'],
  ['Choice', null, null],
  ['Choice', ' a ', ' a '],

  ['Numeric', '5', 5],
  ['Numeric', ' 7 ', 7],
  ['Numeric', '.5', 0.5],
  ['Numeric', '5.', 5],
  ['Numeric', '-5', -5],
  ['Numeric', '1e3', 1000],
  ['Numeric', '+3', 3],
  ['Numeric', '1,000', 1000, '1,000'],
  ['Numeric', '1 000', 1000, '1 000'],
  ['Numeric', '1,234.5', 1234.5, '1,234.5'],
  ['Numeric', '$1,234.56', 1234.56, '$1,234.56'],
  ['Numeric', '$5', 5, '$5'],
  ['Numeric', '-$5', -5, '-$5'],
  ['Numeric', '$-5', -5, '$-5'],
  ['Numeric', '12%', 0.12, '12%'],
  ['Numeric', '50%', 0.5, '50%'],
  ['Numeric', '(5)', -5, '(5)'],
  ['Numeric', '0x10', 16, '0x10'],
  ['Numeric', '1,2,3', '1,2,3'],
  ['Numeric', '1.234,5', '1.234,5'],
  ['Numeric', '--5', '--5'],
  ['Numeric', '£5', '£5'],
  ['Numeric', 'abc', 'abc'],
  ['Numeric', '12abc', '12abc'],
  ['Numeric', '1.2.3', '1.2.3'],
  ['Numeric', '', null],
  ['Numeric', null, null],
  ['Numeric', true, 1],
  ['Numeric', false, 0],
  ['Numeric', '1e400', null],
  ['Numeric', ['L', 1], '[1]'],
  ['Numeric', 3000000000, 3000000000],
  ['Numeric', 1e20, 1e20],
  ['Numeric', '()', '()'],
  ['Numeric', '$', '$'],

  ['Int', 5.7, 5],
  ['Int', '5.7', 5],
  ['Int', -5.7, -5],
  ['Int', '12%', 0, '12%'],
  ['Int', '1,000', 1000, '1,000'],
  ['Int', '$12', 12, '$12'],
  ['Int', 2147483647, 2147483647],
  ['Int', 2147483648, '2147483648.0'],
  ['Int', 3e9, '3000000000.0'],
  ['Int', '3000000000', '3000000000.0', '3000000000'],
  ['Int', '99999999999', '99999999999.0', '99999999999'],
  ['Int', '', null],
  ['Int', null, null],
  ['Int', true, 1],
  ['Int', false, 0],
  ['Int', 'abc', 'abc'],
  ['Int', '2.0', 2],
  ['Int', ' 9 ', 9],

  ['Bool', true, true],
  ['Bool', 2, true],
  ['Bool', -1, true],
  ['Bool', 0.5, true],
  ['Bool', false, false],
  ['Bool', 0, false],
  ['Bool', '', false],
  ['Bool', null, false],
  ['Bool', ['L'], false],
  ['Bool', 'TRUE', true],
  ['Bool', 'yes', true],
  ['Bool', '1', true],
  ['Bool', 'False', false],
  ['Bool', 'No', false],
  ['Bool', '0', false],
  ['Bool', 't', 't'],
  ['Bool', 'on', 'on'],
  ['Bool', '2', '2'],
  ['Bool', 'maybe', 'maybe'],

  ['Date', '2024-01-02', DAY],
  ['Date', '2024-1-2', DAY],
  ['Date', '20240102', DAY],
  ['Date', '2024/01/02', DAY, '2024/01/02'],
  ['Date', '24-01-02', DAY, '24-01-02'],
  ['Date', '2024', 1704067200],
  ['Date', 'Jan 2 2024', DAY, 'Jan 2 2024'],
  ['Date', '2 Jan 2024', DAY, '2 Jan 2024'],
  ['Date', 'January 2, 2024', DAY, 'January 2, 2024'],
  ['Date', 'Jan 15, 2024', 1705276800, 'Jan 15, 2024'],
  ['Date', '2024-01-02T10:20:30Z', DAY],
  ['Date', '2024-01-02 10:20', DAY],
  ['Date', '01/02/2024', '01/02/2024'],
  ['Date', '1/2/24', '1/2/24'],
  ['Date', '15/01/2024', '15/01/2024'],
  ['Date', '1704153600', DAY, '1704153600'],
  ['Date', '1704153600000', '1704153600000'],
  ['Date', 'today', 'today'],
  ['Date', '2024-13-45', '2024-13-45'],
  ['Date', '2024-02-30', '2024-02-30'],
  ['Date', 'abc', 'abc'],
  ['Date', 1704160000, 1704160000],
  ['Date', 0, 0],
  ['Date', -86400, -86400],
  ['Date', ['d', DAY], DAY],
  ['Date', ['D', 1704190830, 'America/New_York'], DAY],
  ['Date', true, 1],
  ['Date', '', null],
  ['Date', null, null],

  [NY, '2024-01-02', 1704171600],
  [NY, '2024-01-15', 1705294800],
  [NY, '2024-01-02T10:20:30Z', 1704190830],
  [NY, '2024-01-15T10:20:30', 1705332030],
  [NY, '2024-01-15 10:20', 1705332000],
  [NY, '2024-01-02 10:20:30+05:00', 1704172830],
  [NY, '2024-07-15T10:20:30+02:00', 1721031630],
  [NY, '2024-07-15 10:20:30.500', 1721053230.5],
  [NY, '2024-01-15 10:20 pm', 1705375200, '2024-01-15 10:20 pm'],
  [NY, '2024-01-02 10pm', 1704250800, '2024-01-02 10pm'],
  [NY, 'Jan 15, 2024 3:04pm', 1705349040, 'Jan 15, 2024 3:04pm'],
  [NY, '2024-01-02 10:20 EST', 1704208800, '2024-01-02 10:20 EST'],
  [NY, '2024-01-02 10:20 XYZ', '2024-01-02 10:20 XYZ'],
  [NY, '1704153600', DAY, '1704153600'],
  [NY, '10:20', '10:20'],
  [NY, 1705314000.5, 1705314000.5],
  [NY, true, 1],
  [NY, 'abc', 'abc'],
  [NY, ['d', DAY], 1704171600],
  [NY, ['D', DAY, 'UTC'], DAY],
  [NY, '', null],
  [NY, null, null],

  ['ChoiceList', 'a', ['L', 'a'], 'a'],
  ['ChoiceList', 'a,b', ['L', 'a', 'b'], 'a,b'],
  ['ChoiceList', 'a, b , c', ['L', 'a', 'b', 'c'], 'a, b , c'],
  ['ChoiceList', 'a\nb', ['L', 'a', 'b'], 'a\nb'],
  ['ChoiceList', 'a,,b', ['L', 'a', 'b'], 'a,,b'],
  ['ChoiceList', '"q, r",s', ['L', 'q, r', 's'], '"q, r",s'],
  ['ChoiceList', '["x","y"]', ['L', 'x', 'y']],
  ['ChoiceList', '[1,2]', ['L', '1', '2']],
  ['ChoiceList', ['L', 1, 2], ['L', '1', '2']],
  ['ChoiceList', ['L', 'a', 'a'], ['L', 'a', 'a']],
  ['ChoiceList', ['L'], null],
  ['ChoiceList', '', null],
  ['ChoiceList', null, null],
  ['ChoiceList', 1, '1'],
  ['ChoiceList', true, 'True'],
  ['ChoiceList', ' ', null, ' '],
  ['ChoiceList', 'x;y', ['L', 'x;y'], 'x;y'],
  ['ChoiceList', '"a', ['L', '"a'], '"a'],
  ['ChoiceList', 'say "hi", b', ['L', 'say "hi"', 'b'], 'say "hi", b'],
  ['ChoiceList', '"a""b"', ['L', 'a"b'], '"a""b"'],

  ['Ref:P', 1, 1],
  ['Ref:P', 99, 99],
  ['Ref:P', 1.5, '1.5'],
  ['Ref:P', 0, 0],
  ['Ref:P', '', 0],
  ['Ref:P', null, 0],
  ['Ref:P', true, 1],
  ['Ref:P', ['L', 1], 1],
  ['Ref:P', '1', 1, '1'],
  ['Ref:P', 'Ann', 'Ann'],
  ['Ref:P', ['l', 'Bob', { column: 'Name' }], 'Bob'],
  ['Ref:P', ['l', { toString: 0 }], "{'toString': 0}"],
  ['RefList:P', ['L', 1, 2], ['L', 1, 2]],
  ['RefList:P', ['L', 2, 2, 99], ['L', 2, 2, 99]],
  ['RefList:P', 1, ['L', 1]],
  ['RefList:P', 0, null],
  ['RefList:P', '', null],
  ['RefList:P', null, null],
  ['RefList:P', ['L'], null],
  ['RefList:P', '1', ['L', 1], '1'],
  ['RefList:P', '1,2', ['L', 1, 2], '1,2'],
  ['RefList:P', '[1,2]', ['L', 1, 2]],
  ['RefList:P', 'Ann, Bob', 'Ann, Bob'],
  ['RefList:P', ['L', '1'], "['1']"],
  ['Attachments', 1, ['L', 1]],
  ['Attachments', ['L', 1], ['L', 1]],
  ['Attachments', ['L'], null],
  ['Attachments', '1', '1'],
  ['Attachments', 'abc', 'abc'],
  ['Attachments', '', null],
  ['Attachments', null, null],

  ['Any', '5', '5'],
  ['Any', '', ''],
  ['Any', 1.5, 1.5],
  ['Any', true, true],
  ['Any', null, null],
  ['Any', ['L', 1, 'a'], ['L', 1, 'a']],
  ['Any', ['d', 1705276800], ['d', 1705276800]],
  ['Any', ['O', { a: 1 }], ['O', { a: 1 }]],
  ['Any', '2024-01-01', '2024-01-01'],
]

const context: ColumnContext = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

function reading(
  type: string,
  cell: Cell,
  noParse: boolean,
  more: Partial<ColumnContext> = {},
): Cell {
  const rules = columnType(type)
  return rules.fromStored(rules.toStored(cell, { ...context, ...more }, { noParse }))
}

describe('writing a cell', () => {
  it.each<Fact>(facts)('%s takes %j', (type, cell, reads, unparsed = reads) => {
    expect(reading(type, cell, false)).toEqual(reads)
    expect(reading(type, cell, true)).toEqual(unparsed)
  })

  it('completes a date without a year from the current one', () => {
    const year = new Date().getUTCFullYear()
    expect(reading('Date', '12-31', false)).toBe(Date.UTC(year, 11, 31) / 1000)
    expect(reading('Date', '12-31', true)).toBe('12-31')
  })

  it('tries the format of the column', () => {
    const german = { widgetOptions: { dateFormat: 'DD/MM/YYYY' } }
    expect(reading('Date', '02.01.2024', false, german)).toBe(DAY)
    expect(
      reading('Date', '01/02/2024', false, { widgetOptions: { dateFormat: 'MM/DD/YYYY' } }),
    ).toBe(DAY)
    expect(
      reading('Date', '01/02/2024', true, { widgetOptions: { dateFormat: 'MM/DD/YYYY' } }),
    ).toBe('01/02/2024')
  })

  it('follows the locale of the document and the currency of the column', () => {
    const de = { settings: { timezone: 'UTC', locale: 'de-DE' } }
    expect(reading('Numeric', '1.234,5', false, de)).toBe(1234.5)
    expect(reading('Numeric', '5 €', false, de)).toBe(5)
    expect(reading('Numeric', '£5', false, { widgetOptions: { currency: 'GBP' } })).toBe(5)
    expect(
      reading('Numeric', '12,34,567', false, { settings: { timezone: 'UTC', locale: 'en-IN' } }),
    ).toBe(1234567)
    expect(
      reading('Numeric', '1,000', false, { settings: { timezone: 'UTC', locale: 'not a locale' } }),
    ).toBe(1000)
  })

  it('takes the zone of the document for a DateTime without one', () => {
    const tokyo = { settings: { timezone: 'Asia/Tokyo', locale: 'en-US' } }
    expect(reading('DateTime', '2024-01-02', false, tokyo)).toBe(DAY - 9 * 3600)
  })

  it('moves a time that clocks skip forward, and takes the first of a time shown twice', () => {
    expect(reading(NY, '2024-03-10 02:30', false)).toBe(Date.UTC(2024, 2, 10, 7, 30) / 1000)
    expect(reading(NY, '2024-11-03 01:30', false)).toBe(Date.UTC(2024, 10, 3, 5, 30) / 1000)
    expect(reading(NY, '2024-11-03 04:30', false)).toBe(Date.UTC(2024, 10, 3, 9, 30) / 1000)
  })

  it('looks references up by the text of their visible column', () => {
    const rows = new Map([
      ['Ann', 1n],
      ['Bob', 2n],
    ])
    const lookup = (text: string) => rows.get(text)
    const named = { lookup, lookupIn: (text: string) => rows.get(text) }
    expect(reading('Ref:P', 'Bob', false, { lookup })).toBe(2)
    expect(reading('Ref:P', '1', false, { lookup })).toBe('1')
    expect(reading('Ref:P', 'Bob', true, { lookup })).toBe('Bob')
    expect(reading('RefList:P', 'Ann, Bob', false, { lookup })).toEqual(['L', 1, 2])
    expect(reading('RefList:P', 'Ann, Eve', false, { lookup })).toBe('Ann, Eve')
    expect(reading('Ref:P', ['l', 'Bob', { column: 'Name' }], true, named)).toBe(2)
    expect(reading('RefList:P', ['l', ['Ann', 'Bob'], { column: 'Name' }], true, named)).toEqual([
      'L',
      1,
      2,
    ])
    expect(reading('Ref:P', ['l', 'Eve', { column: 'Name', raw: 'x' }], true, named)).toBe('x')
  })

  it.each<[string, Cell]>([
    ['Ref:P', -1],
    ['Ref:P', ['R', 'P', 1]],
    ['RefList:P', ['r', 'P', [1]]],
    ['RefList:P', ['L', -1]],
  ])('%s refuses %j', (type, cell) => {
    expect(() => reading(type, cell, false)).toThrow(
      expect.objectContaining({ code: 'invalid', reason: 'INVALID_VALUE' }) as Error,
    )
  })

  it('leaves a position that is no number to the store', () => {
    expect(reading('ManualSortPos', 1.5, false)).toBe(1.5)
    expect(reading('ManualSortPos', 'x', false)).toBeNull()
  })
})
