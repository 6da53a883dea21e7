import { sampleColumn } from '../../api/sample-column'
import { fromOperators, toOperators } from './condition-filter'
import { describeCondition, entryOf } from './condition-text'
import {
  conditionKinds,
  conditionLabel,
  isComplete,
  valuesKind,
  withKind,
  type Condition,
} from './conditions'

const column = (type: string) => sampleColumn('A', { type })
const percentages = sampleColumn('A', { type: 'Numeric', widgetOptions: '{"numMode":"percent"}' })
/** Midnight of 1 July 2026 in Berlin. */
const JULY = 1_782_856_800

const cases: readonly (readonly [type: string, condition: Condition, filter: unknown])[] = [
  ['Text', { kind: 'is', values: ['Ada'] }, ['Ada']],
  ['Text', { kind: 'isNot', values: ['Ada'] }, { notIn: ['Ada'] }],
  ['Text', { kind: 'in', values: ['Ada', null, ''] }, ['Ada', null, '']],
  ['Text', { kind: 'contains', values: ['a'] }, { contains: 'a', ignoreCase: true }],
  ['Text', { kind: 'notContains', values: ['a'] }, { notContains: 'a', ignoreCase: true }],
  ['Text', { kind: 'empty', values: [] }, [null, '']],
  ['Choice', { kind: 'filled', values: [] }, { notIn: [null, ''] }],
  ['Choice', { kind: 'notIn', values: ['a', 'b'] }, { notIn: ['a', 'b'] }],
  ['Numeric', { kind: 'between', values: [1, 2.5] }, { between: [1, 2.5] }],
  ['Int', { kind: 'gte', values: [-3] }, { gte: -3 }],
  ['Int', { kind: 'is', values: [0] }, [0]],
  ['Int', { kind: 'in', values: ['kept text'] }, ['kept text']],
  ['Int', { kind: 'empty', values: [] }, { isNull: true }],
  ['Date', { kind: 'is', values: [86_400] }, [86_400]],
  ['Date', { kind: 'in', values: [null] }, [null]],
  ['DateTime:Europe/Berlin', { kind: 'lt', values: [JULY + 60] }, { lt: JULY + 60 }],
  ['DateTime:Europe/Berlin', { kind: 'on', values: [JULY] }, { gte: JULY, lt: JULY + 86_400 }],
  ['Bool', { kind: 'checked', values: [] }, [true]],
  ['Bool', { kind: 'unchecked', values: [] }, { notIn: [true] }],
  ['Bool', { kind: 'in', values: [false] }, [false]],
  ['ChoiceList', { kind: 'has', values: ['tea', '5'] }, { has: ['tea', '5'] }],
  ['RefList:People', { kind: 'hasAny', values: [5] }, { hasAny: [5] }],
  ['RefList:People', { kind: 'hasNone', values: [5] }, { hasNone: [5] }],
  ['Ref:People', { kind: 'notIn', values: [5] }, { notIn: [5] }],
  ['Ref:People', { kind: 'empty', values: [] }, [null, 0]],
  ['Any', { kind: 'in', values: ['5', 5, ['d', 0]] }, ['5', 5, ['d', 0]]],
  ['Any', { kind: 'gt', values: [5] }, { gt: 5 }],
]

describe.each(cases)('a condition on a column of %s', (type, condition, filter) => {
  it(`is converted to a filter and back: ${condition.kind}`, () => {
    expect(conditionKinds(column(type))).toContain(condition.kind)
    expect(toOperators(condition, column(type))).toEqual(filter)
    expect(fromOperators(filter, column(type))).toEqual([condition])
  })
})

describe('conditions', () => {
  it.each<[string, unknown, readonly Condition[]]>([
    ['Int', { eq: 3 }, [{ kind: 'is', values: [3] }]],
    ['Int', { ne: 3 }, [{ kind: 'isNot', values: [3] }]],
    ['Int', { in: [3, 4] }, [{ kind: 'in', values: [3, 4] }]],
    ['ChoiceList', { has: 'a' }, [{ kind: 'has', values: ['a'] }]],
    [
      'Int',
      { gt: 1, lte: 5 },
      [
        { kind: 'gt', values: [1] },
        { kind: 'lte', values: [5] },
      ],
    ],
    // A day that begins when clocks are changed has 23 hours.
    [
      'DateTime:Europe/Berlin',
      { gte: 1_774_738_800, lt: 1_774_738_800 + 23 * 3_600 },
      [{ kind: 'on', values: [1_774_738_800] }],
    ],
  ])('on %s are found in %j', (type, filter, conditions) => {
    expect(fromOperators(filter, column(type))).toEqual(conditions)
  })

  it.each<[string, unknown]>([
    ['Text', { gt: 'a' }],
    ['Text', { contains: 'a' }],
    ['Text', { contains: 'a', isNull: false, ignoreCase: true }],
    ['Text', { in: ['a'], ignoreCase: true }],
    ['Text', { isNull: 1 }],
    ['ChoiceList', { isNull: true, gt: 5 }],
    ['Text', { has: 1 }],
    ['Text', {}],
    ['Text', []],
    ['Text', 7],
    ['Text', null],
    ['Int', { between: [1] }],
    ['Int', { gt: 'a' }],
    ['Date', { lt: 5 }],
    ['Ref:People', { gt: 5 }],
    ['Attachments', { has: 3 }],
  ])('on %s are not found in %j', (type, filter) => {
    expect(fromOperators(filter, column(type))).toBeUndefined()
  })

  it.each(['Text', 'Choice', 'Ref:People', 'Any'])(
    'on %s tell null from other empty values, in words',
    (type) => {
      const isNull = fromOperators({ isNull: true }, column(type)) ?? []
      expect(isNull).toEqual([{ kind: 'in', values: [null] }])
      expect(fromOperators({ isNull: false }, column(type))).toEqual([
        { kind: 'notIn', values: [null] },
      ])
      const [first = { kind: 'is', values: [] } as const] = isNull
      expect(describeCondition(first, column(type))).toBe('A is any of (blank)')
    },
  )

  it('on formulas keep isNull, which finds errors as well', () => {
    const computed = column('Text')
    const formula = { ...computed, fields: { ...computed.fields, formula: '$B' } }
    expect(fromOperators({ isNull: true }, formula)).toBeUndefined()
    expect(fromOperators({ isNull: false }, formula)).toEqual([{ kind: 'notIn', values: [null] }])
  })

  it('are complete with all of their values', () => {
    expect(isComplete({ kind: 'is', values: [] })).toBe(false)
    expect(isComplete({ kind: 'between', values: [1] })).toBe(false)
    expect(isComplete({ kind: 'in', values: [1] })).toBe(true)
    expect(isComplete({ kind: 'empty', values: [] })).toBe(true)
  })

  it('keep their values with another kind if it takes such values', () => {
    const is: Condition = { kind: 'is', values: [5] }
    expect(withKind(is, 'gt').values).toEqual([5])
    expect(withKind(is, 'in').values).toEqual([5])
    expect(withKind(is, 'between').values).toEqual([])
    expect(withKind({ kind: 'on', values: [JULY] }, 'gt').values).toEqual([])
  })

  it('select among the values of columns that have any', () => {
    expect(
      ['Text', 'Ref:People', 'ChoiceList', 'Attachments'].map((type) => valuesKind(column(type))),
    ).toEqual(['in', 'in', 'hasAny', undefined])
  })

  it('are named by the type of the column', () => {
    const names = ['Text', 'Int', 'Date'].map((type) => conditionLabel('is', column(type)))
    expect(names).toEqual(['is', '=', 'is'])
    expect(conditionLabel('lt', column('Date'))).toBe('is before')
    expect(conditionLabel('lt', column('Int'))).toBe('<')
  })

  it('are described in words', () => {
    const describe = (type: string, condition: Condition) =>
      describeCondition(condition, column(type))
    expect(describe('Text', { kind: 'in', values: ['a', 'b', null, '', 'c'] })).toBe(
      'A is any of a, b, (blank) and 1 more',
    )
    expect(describe('Date', { kind: 'between', values: [0, 86_400] })).toBe(
      'A is between 1970-01-01 and 1970-01-02',
    )
    expect(describe('Int', { kind: 'filled', values: [] })).toBe('A is not empty')
    expect(describe('DateTime:Europe/Berlin', { kind: 'on', values: [JULY] })).toBe(
      'A is on 2026-07-01',
    )
  })

  it('take numbers in the locale of the browser or in the notation of the API, and times in the zone of the column', () => {
    const { read } = entryOf('is', column('Numeric'))
    const big = (1234.5).toLocaleString(undefined, { useGrouping: true })
    expect([big, '7', '1e3', 'two', ' '].map(read)).toEqual([1234.5, 7, 1000, undefined, undefined])
    const share = entryOf('gt', percentages)
    expect(['50', '50%', 'half'].map(share.read)).toEqual([0.5, 0.5, undefined])
    expect(share.show(0.5)).toBe('50%')
    const time = entryOf('gt', column('DateTime:Europe/Berlin'))
    expect(time.read('2026-07-01T12:00')).toBe(JULY + 12 * 3_600)
    expect(time.show(JULY + 12 * 3_600)).toBe('2026-07-01T12:00')
    expect(time.show(JULY + 30)).toBe('2026-07-01T00:00:30')
    expect(time.read('soon')).toBeUndefined()
    const day = entryOf('on', column('DateTime:Europe/Berlin'))
    expect(day.read('2026-07-01')).toBe(JULY)
    expect(day.show(JULY)).toBe('2026-07-01')
    expect(['5', 'five'].map(entryOf('gt', column('Any')).read)).toEqual([5, 'five'])
  })
})
