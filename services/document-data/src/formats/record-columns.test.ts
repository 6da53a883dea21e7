import { columnType } from '../values/column-types'
import { recordColumns, recordRow } from './record-columns'

const types: readonly [string, string][] = [
  ['Text', 'text'],
  ['Choice', 'text'],
  ['Bool', 'bool'],
  ['Int', 'int32'],
  ['Ref:T', 'int64'],
  ['Numeric', 'float64'],
  ['ManualSortPos', 'float64'],
  ['PositionNumber', 'float64'],
  ['Date', 'date'],
  ['DateTime', 'timestamp'],
  ['ChoiceList', 'textList'],
  ['RefList:T', 'int64List'],
  ['Attachments', 'int64List'],
  ['Any', 'json'],
]

const columnOf = (type: string) => ({ id: 'A', type: columnType(type) })

it.each(types)('a column of type %s is of kind %s', (type, kind) => {
  expect(recordColumns([columnOf(type)])).toMatchObject([
    { name: 'id', kind: 'int64' },
    { name: 'A', kind },
    { name: '_unparsed', kind: 'json' },
  ])
})

it('a column of instants has the zone of its type', () => {
  expect(recordColumns([columnOf('DateTime:Asia/Tokyo')])[1]).toMatchObject({ zone: 'Asia/Tokyo' })
  expect(recordColumns([columnOf('DateTime')])[1]).toMatchObject({ zone: 'UTC' })
})

const asWritten = (type: string, cell: unknown) =>
  recordRow(recordColumns([columnOf(type)]), [1, cell]).slice(1)

it.each<[string, unknown, unknown]>([
  ['Text', 'a', 'a'],
  ['Bool', false, false],
  ['Int', -(2 ** 31), -(2 ** 31)],
  ['Ref:T', 2 ** 40, 2 ** 40],
  ['Numeric', 0.5, 0.5],
  ['Date', -86_400, -1],
  ['DateTime', 1_700_000_000.25, 1_700_000_000_250_000n],
  ['DateTime', -0.5, -500_000n],
  ['DateTime', 8.64e12, 8_640_000_000_000_000_000n],
  ['ChoiceList', ['L', 'a', ''], ['a', '']],
  ['RefList:T', ['L', 3], [3]],
  ['Any', ['L', 1], '["L",1]'],
  ['Any', 'a', '"a"'],
  ['Int', null, null],
])('a cell of type %s that is %j is written as %p', (type, cell, written) => {
  expect(asWritten(type, cell)).toEqual([written, null])
})

it.each<[string, unknown]>([
  ['Bool', 'maybe'],
  ['Int', 'n/a'],
  ['Int', 2 ** 31],
  ['Int', 0.5],
  ['Ref:T', 'Somebody'],
  ['Numeric', '12 apples'],
  ['Date', 'soon'],
  ['Date', 86_401],
  ['Date', 86_400 * 2 ** 31],
  ['DateTime', 'later'],
  ['DateTime', 1e300],
  ['ChoiceList', 'x'],
  ['ChoiceList', ['E', 'TypeError']],
  ['RefList:T', ['L', 'x']],
])(
  'a cell of type %s that is %j is no value of its column, and is kept beside it',
  (type, cell) => {
    const [value, unparsed] = asWritten(type, cell)
    expect(value).toBeNull()
    expect(JSON.parse(unparsed as string)).toEqual({ A: cell })
  },
)
