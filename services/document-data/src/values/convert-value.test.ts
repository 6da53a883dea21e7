import fc from 'fast-check'
import type { Cell, StoredValue } from './column-type'
import { columnType } from './column-types'
import { convertValue, idsText, storesAlike } from './convert-value'

const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

/** Returns a cell of one type as read after its column was converted to another type. */
function converted(cell: Cell, from: string, to: string): Cell {
  const [before, after] = [columnType(from), columnType(to)]
  const stored = before.toStored(cell, context, { noParse: false })
  return after.fromStored(convertValue(stored, before, after, context))
}

describe('convertValue', () => {
  it.each<[Cell, string, string, Cell]>([
    ['5', 'Text', 'Numeric', 5],
    ['abc', 'Text', 'Numeric', 'abc'],
    ['1,000', 'Text', 'Numeric', '1,000'],
    ['', 'Text', 'Numeric', null],
    ['1.7', 'Text', 'Int', 1],
    ['true', 'Text', 'Bool', true],
    ['5', 'Text', 'Bool', '5'],
    ['2024-01-15', 'Text', 'Date', 1705276800],
    ['a,b', 'Text', 'ChoiceList', 'a,b'],
    ['1,2', 'Text', 'RefList:T', '1,2'],
    [1.75, 'Numeric', 'Int', 1],
    [3, 'Int', 'Text', '3'],
    [null, 'Int', 'Text', null],
    [3, 'Int', 'Bool', true],
    [true, 'Bool', 'Text', 'True'],
    ['2024-01-15', 'Date', 'Text', '1705276800'],
    [['L', 'p', 'q'], 'ChoiceList', 'Text', "('p', 'q')"],
    [['L', 'p'], 'ChoiceList', 'Choice', "('p',)"],
    [['L', 'p'], 'ChoiceList', 'Any', ['L', 'p']],
    [['L', 1, 2], 'RefList:T', 'Text', '[1, 2]'],
    [['L', 1, 2], 'RefList:T', 'ChoiceList', ['L', '1', '2']],
    [['L', 2], 'RefList:T', 'Ref:T', 2],
    [2, 'Ref:T', 'RefList:T', ['L', 2]],
    [-1, 'Numeric', 'Ref:T', '-1'],
    [['R', 'T', 3], 'Any', 'Ref:T', 3],
    [['r', 'T', [1, 2]], 'Any', 'RefList:T', ['L', 1, 2]],
  ])('turns %j of %s into that of %s', (cell, from, to, expected) => {
    expect(converted(cell, from, to)).toEqual(expected)
  })

  it('brings text back when a column becomes Text again', () => {
    const types = ['Numeric', 'Int', 'Date', 'Choice', 'ChoiceList', 'Ref:T', 'RefList:T', 'Any']
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.constantFrom(...types), (text, name) => {
        const [plain, other] = [columnType('Text'), columnType(name)]
        const there = convertValue(text, plain, other, context)
        if (other.fromStored(there) !== text) return
        expect(convertValue(there, other, plain, context)).toBe(text)
      }),
    )
  })

  it('never throws, and stores nothing that reads in another way when it is converted to the same type', () => {
    const cells = fc.oneof(
      fc.string(),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.oneof(fc.integer(), fc.string())).map((items) => ['L', ...items]),
      fc.tuple(fc.constantFrom('R', 'r', 'd', 'D', 'O', 'E', 'l'), fc.jsonValue(), fc.jsonValue()),
    )
    const names = fc.constantFrom(
      ...['Text', 'Numeric', 'Int', 'Bool', 'Date', 'DateTime:UTC', 'Choice', 'ChoiceList'],
      ...['Ref:T', 'RefList:T', 'Attachments', 'Any'],
    )
    fc.assert(
      fc.property(cells, names, (cell, name) => {
        const [any, to] = [columnType('Any'), columnType(name)]
        const stored = any.toStored(cell, context, { noParse: true })
        const value: StoredValue = convertValue(stored, any, to, context)
        expect(() => JSON.stringify(to.fromStored(value))).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})

describe('idsText', () => {
  it.each<[Cell, Cell]>([
    [['L', 2], '2'],
    [['L', 1, 2], '1, 2'],
    [null, null],
    ['[x', '[x'],
  ])('gives the row ids of %j as text', (cell, text) => {
    const type = columnType('RefList:T')
    expect(idsText(type.toStored(cell, context, { noParse: true }), type)).toBe(text)
  })
})

describe('storesAlike', () => {
  it.each([
    ['Text', 'Choice', true],
    ['Ref:A', 'Ref:B', true],
    ['DateTime:UTC', 'DateTime:Europe/Berlin', true],
    ['Text', 'Any', false],
    ['Int', 'Numeric', false],
  ])('of %s and %s is %s', (a, b, alike) => {
    expect(storesAlike(columnType(a), columnType(b))).toBe(alike)
  })
})
