import { sampleColumn } from '../../api/sample-column'
import {
  describeFilter,
  fromOperators,
  conditionKinds,
  toOperators,
  type Condition,
} from './conditions'

const column = (type: string) => sampleColumn('A', { type })

const cases: readonly (readonly [type: string, condition: Condition, query: unknown])[] = [
  ['Text', { kind: 'in', values: ['Ada', '7'] }, ['Ada', '7']],
  ['Text', { kind: 'contains', values: ['a'] }, { contains: 'a', ignoreCase: true }],
  ['Text', { kind: 'empty', values: [] }, [null, '']],
  ['Choice', { kind: 'filled', values: [] }, { notIn: [null, ''] }],
  ['Numeric', { kind: 'between', values: ['1', '2.5'] }, { between: [1, 2.5] }],
  ['Int', { kind: 'gte', values: ['-3'] }, { gte: -3 }],
  ['Int', { kind: 'empty', values: [] }, { isNull: true }],
  ['Date', { kind: 'in', values: ['1970-01-02'] }, [86_400]],
  ['DateTime:Europe/Berlin', { kind: 'lt', values: ['2026-07-01T12:00'] }, { lt: 1_782_900_000 }],
  ['DateTime:Europe/Berlin', { kind: 'lt', values: ['2026-01-01T00:00'] }, { lt: 1_767_222_000 }],
  [
    'DateTime:Europe/Berlin',
    { kind: 'gt', values: ['2026-07-01T12:00:30'] },
    { gt: 1_782_900_030 },
  ],
  ['Bool', { kind: 'in', values: ['true'] }, [true]],
  ['ChoiceList', { kind: 'has', values: ['tea', '5'] }, { has: ['tea', '5'] }],
  ['RefList:People', { kind: 'has', values: ['5'] }, { has: [5] }],
  ['Ref:People', { kind: 'notIn', values: ['5'] }, { notIn: [5] }],
  ['Any', { kind: 'in', values: ['5', 'x'] }, ['5', 5, 'x']],
]

describe.each(cases)('a condition on a column of %s', (type, condition, query) => {
  it(`is converted to a filter and back: ${condition.kind}`, () => {
    expect(conditionKinds(column(type))).toContain(condition.kind)
    expect(toOperators(condition, column(type))).toEqual(query)
    expect(fromOperators(query, column(type))).toEqual(condition)
  })
})

describe('conditions', () => {
  it('name values that are not valid for their column', () => {
    const number: Condition = { kind: 'in', values: ['1', 'two'] }
    expect(() => toOperators(number, column('Int'))).toThrow('“two” is not a number.')
    expect(() => toOperators({ kind: 'lt', values: ['soon'] }, column('Date'))).toThrow('soon')
    expect(() => toOperators({ kind: 'lt', values: ['2026-02-31'] }, column('Date'))).toThrow('31')
    expect(() => toOperators({ kind: 'in', values: [] }, column('Text'))).toThrow('Enter a value')
    expect(() => toOperators({ kind: 'between', values: ['1'] }, column('Int'))).toThrow('two')
  })

  it('accept numbers and dates in the locale of the browser or in the notation of the API', () => {
    const big = (1234.5).toLocaleString(undefined, { useGrouping: true })
    expect(toOperators({ kind: 'in', values: [big, '7', '1e3'] }, column('Numeric'))).toEqual([
      1234.5, 7, 1000,
    ])
    const noon = { kind: 'gt', values: ['2026-07-01 12:00'] } as const
    expect(toOperators(noon, column('DateTime:Europe/Berlin'))).toEqual({ gt: 1_782_900_000 })
  })

  it.each([[{ gt: 1, lt: 5 }], [{ contains: 'a' }], [7], [[null]], [{ has: 1 }], [null]])(
    'that the form cannot express are shown as JSON: %j',
    (query) => {
      expect(fromOperators(query, column('Text'))).toBeUndefined()
      expect(describeFilter(query, column('Text'))).toBe(JSON.stringify(query))
    },
  )

  it('are described in words', () => {
    expect(describeFilter(['a', 'b', 'c', 'd'], column('Text'))).toBe(
      'is one of a, b, c and 1 more',
    )
    expect(describeFilter({ between: [0, 86_400] }, column('Date'))).toBe(
      'is between 1970-01-01 and 1970-01-02',
    )
    expect(describeFilter({ isNull: false }, column('Int'))).toBe('is not empty')
  })
})
