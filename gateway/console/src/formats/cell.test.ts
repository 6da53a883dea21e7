import fc from 'fast-check'
import { sampleColumn } from '../api/sample-column'
import { formatCell } from './cell'
import { isSameValue, listItems, rowIds, toList } from './value'

const column = (type: string, widgetOptions = '') => sampleColumn('C', { type, widgetOptions })

describe('a cell', () => {
  it.each([
    ['Text', null, ''],
    ['Text', 'two\nlines', 'two\nlines'],
    ['Int', 5, '5'],
    ['Int', 'five', 'five'],
    ['Bool', true, '✓'],
    ['Bool', false, '✗'],
    ['Bool', 'maybe', 'maybe'],
    ['Date', 'some day', 'some day'],
    ['ChoiceList', ['L', 'a', 'b'], 'a, b'],
    ['Ref:People', 0, ''],
    ['Ref:People', 7, '#7'],
    ['RefList:People', ['L', 1, 2], '1, 2'],
    ['Any', ['E', 'TypeError'], '#TypeError'],
    ['Any', ['R', 'People', 3], 'People[3]'],
    ['Any', ['r', 'People', [1, 2]], 'People[1, 2]'],
    ['Any', ['O', { a: 1 }], '{"a":1}'],
    ['Any', ['U', '1099511627776'], '1099511627776'],
    ['Any', ['L', true, ['L', 1]], 'true, 1'],
    ['Any', { odd: 1 }, '{"odd":1}'],
    ['Nobody:knows', 'x', 'x'],
  ])('of the type %s shows %j as %j', (type, value, shown) => {
    expect(formatCell(value, column(type))).toBe(shown)
  })

  it('formats dates, including coded dates in columns of other types', () => {
    expect(formatCell(0, column('Date'))).toMatch(/1970/)
    expect(formatCell(0, column('DateTime:America/New_York'))).toMatch(/1969/)
    expect(formatCell(['d', 0], column('Any'))).toMatch(/1970/)
    expect(formatCell(['D', 0, 'America/New_York'], column('Any'))).toMatch(/1969/)
    expect(formatCell(['D', 0, 'No/where'], column('Any'))).toMatch(/1970/)
  })

  it('uses the date format of the column, and formats whole numbers without decimals', () => {
    const format = '{"dateFormat":"DD/MM/YYYY","timeFormat":"HH:mm"}'
    expect(formatCell(0, column('Date', format))).toBe('01/01/1970')
    expect(formatCell(3600, column('DateTime:Europe/Berlin', format))).toBe('01/01/1970 02:00')
    expect(formatCell(5, column('Int', '{"numMode":"currency","currency":"EUR"}'))).toMatch(
      /^\D*5\D*$/,
    )
  })

  it('uses the number format of the column, and ignores invalid options', () => {
    expect(formatCell(0.5, column('Numeric', '{"numMode":"percent"}'))).toMatch(/50/)
    expect(formatCell(5, column('Numeric', 'broken'))).toBe('5')
    expect(formatCell(5, column('Numeric', 'null'))).toBe('5')
  })

  it('formats every value of the API', () => {
    const types = ['Text', 'Int', 'Date', 'DateTime:UTC', 'Ref:T', 'ChoiceList', 'Any', '']
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...types), (value, type) => {
        expect(typeof formatCell(value, column(type))).toBe('string')
      }),
    )
  })
})

describe('a list', () => {
  it('is unchanged after reading its items and joining them', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (ids) => {
        const list = toList(ids)
        expect(rowIds(list)).toEqual(ids)
        expect(isSameValue(toList(listItems(list) ?? []), list)).toBe(true)
      }),
    )
  })

  it('is null if it is empty, and references require numbers', () => {
    expect(toList([])).toBeNull()
    expect(isSameValue(undefined, null)).toBe(true)
    expect(isSameValue('', null)).toBe(false)
    expect(rowIds(['L', 'a'])).toBeUndefined()
    expect(rowIds('L')).toBeUndefined()
  })
})
