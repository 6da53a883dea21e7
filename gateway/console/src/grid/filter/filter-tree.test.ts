import fc from 'fast-check'
import { sampleColumn } from '../../api/sample-column'
import type { Filter } from '../view/grid-view'
import { conditionKinds, isComplete, valueCount } from './conditions'
import {
  countConditions,
  isCondition,
  namesColumn,
  newCondition,
  readTree,
  replaceItem,
  restOf,
  toFilter,
  withoutColumn,
  type ConditionItem,
  type FilterTree,
  type GroupItem,
  type Item,
} from './filter-tree'

const columns = [
  sampleColumn('T', { type: 'Text' }),
  sampleColumn('N', { type: 'Int' }),
  sampleColumn('L', { type: 'ChoiceList' }),
]

type Row = Readonly<Record<string, unknown>>

/** Reference model: the meaning of a filter of the API. */
function passes(row: Row, filter: Filter): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    if (key === 'or') return (wanted as Filter[]).some((one) => passes(row, one))
    if (key === 'and') return (wanted as Filter[]).every((one) => passes(row, one))
    const cell = row[key]
    if (Array.isArray(wanted)) return wanted.includes(cell)
    const { ignoreCase: _, ...operators } = wanted as Record<string, unknown>
    return Object.entries(operators).every(([name, operand]) => meets(cell, name, operand))
  })
}

type Test = (cell: unknown, operands: readonly unknown[]) => boolean

const onText =
  (test: (cell: string, part: string) => boolean): Test =>
  (cell, [part]) =>
    typeof cell === 'string' && test(cell.toLowerCase(), String(part).toLowerCase())
const onNumber =
  (test: (cell: number, operands: readonly number[]) => boolean): Test =>
  (cell, operands) =>
    typeof cell === 'number' && test(cell, operands.map(Number))
const hasItem = (cell: unknown, item: unknown) => Array.isArray(cell) && cell.includes(item)

const tests: Readonly<Record<string, Test>> = {
  notIn: (cell, operands) => !operands.includes(cell),
  contains: onText((cell, part) => cell.includes(part)),
  notContains: (cell, operands) => !meets(cell, 'contains', operands),
  startsWith: onText((cell, part) => cell.startsWith(part)),
  endsWith: onText((cell, part) => cell.endsWith(part)),
  isNull: (cell, [isNull]) => (cell === null) === isNull,
  has: (cell, operands) => operands.every((item) => hasItem(cell, item)),
  hasAny: (cell, operands) => operands.some((item) => hasItem(cell, item)),
  hasNone: (cell, operands) => !operands.some((item) => hasItem(cell, item)),
  lt: onNumber((cell, [to = 0]) => cell < to),
  lte: onNumber((cell, [to = 0]) => cell <= to),
  gt: onNumber((cell, [to = 0]) => cell > to),
  gte: onNumber((cell, [to = 0]) => cell >= to),
  between: onNumber((cell, [from = 0, to = 0]) => cell >= from && cell <= to),
}

function meets(cell: unknown, name: string, operand: unknown): boolean {
  const test = tests[name]
  if (!test) throw new Error(`unknown operator ${name}`)
  return test(cell, [operand].flat())
}

const text = fc.constantFrom('a', 'ab', 'B')
const number = fc.integer({ min: 0, max: 3 })
const valueOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = { T: text, N: number, L: text }

const rows: fc.Arbitrary<Row> = fc.record({
  T: fc.oneof(text, fc.constantFrom(null, '')),
  N: fc.oneof(number, fc.constant(null)),
  L: fc.oneof(fc.uniqueArray(text, { minLength: 1 }), fc.constant(null)),
})

const conditions: fc.Arbitrary<ConditionItem> = fc
  .constantFrom(...columns)
  .chain((column) => fc.tuple(fc.constant(column), fc.constantFrom(...conditionKinds(column))))
  .chain(([column, kind]) => {
    const count = valueCount(kind)
    const most = { none: 0, one: 1, two: 2, many: 2 }[count]
    const least = count === 'many' ? 1 : most
    return fc
      .uniqueArray(valueOf[column.id] ?? text, { minLength: least, maxLength: most })
      .map((values) => ({ id: 0, colId: column.id, kind, values }))
  })
const joins = fc.constantFrom('and' as const, 'or' as const)
const groups: fc.Arbitrary<GroupItem> = fc.record({
  id: fc.constant(0),
  join: joins,
  items: fc.array(conditions, { minLength: 1, maxLength: 3 }),
})
const trees: fc.Arbitrary<FilterTree> = fc.record({
  join: joins,
  items: fc.array<Item>(fc.oneof(conditions, groups), { maxLength: 4 }),
})

/** Filters as programs may write them, also such that the form cannot express. */
function filtersOf(depth: number): fc.Arbitrary<Filter> {
  const single: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    T: fc.oneof(
      fc.record({ contains: text }),
      fc.record({ contains: text, startsWith: text, ignoreCase: fc.constant(true) }),
      fc.array(fc.oneof(text, fc.constant(null)), { minLength: 1, maxLength: 2 }),
      fc.record({ isNull: fc.boolean() }),
    ),
    N: fc.oneof(fc.record({ gte: number, lt: number }), fc.record({ isNull: fc.boolean() })),
    L: fc.record({ has: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 2 })) }),
  }
  const group = () => fc.array(filtersOf(depth - 1), { minLength: 1, maxLength: 2 })
  return fc
    .record(depth > 0 ? { ...single, or: group(), and: group() } : single, {
      requiredKeys: [],
      noNullPrototype: true,
    })
    .filter((filter) => Object.keys(filter).length > 0)
}

/** The same items without their ids. */
const plain = (tree: FilterTree): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === 'id' ? undefined : value)))

describe('a filter in the form', () => {
  it('means the same as the filter that it was read from, and is read again as it is', () => {
    fc.assert(
      fc.property(filtersOf(3), fc.array(rows, { minLength: 1, maxLength: 5 }), (filter, some) => {
        const tree = readTree(filter, columns)
        const written = toFilter(tree, columns)
        for (const row of some) expect(passes(row, written)).toBe(passes(row, filter))
        expect(plain(readTree(written, columns))).toEqual(plain(tree))
      }),
      { numRuns: 500 },
    )
  })

  it('means the same when it is drawn, written and drawn again', () => {
    fc.assert(
      fc.property(trees, fc.array(rows, { minLength: 1, maxLength: 5 }), (tree, some) => {
        const written = toFilter(tree, columns)
        const again = toFilter(readTree(written, columns), columns)
        for (const row of some) {
          const isShown = means(row, tree)
          expect(passes(row, written)).toBe(isShown)
          expect(passes(row, again)).toBe(isShown)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is written as one condition per column if that suffices', () => {
    const tree = readTree(
      { T: ['a'], N: { gt: 1 }, or: [{ L: { has: 'x' } }, { T: ['b'] }] },
      columns,
    )
    expect(toFilter(tree, columns)).toEqual({
      T: ['a'],
      N: { gt: 1 },
      or: [{ L: { has: ['x'] } }, { T: ['b'] }],
    })
    const twice = readTree({ N: { gt: 1, lt: 5 } }, columns)
    expect(toFilter(twice, columns)).toEqual({ and: [{ N: { gt: 1 } }, { N: { lt: 5 } }] })
  })

  it.each<[Filter]>([
    [{ Nope: [1] }],
    [{ T: { contains: 'a' } }],
    [{ or: 5 }],
    [{ or: [] }],
    [{ and: [1] }],
    [{ id: [1] }],
    [{ or: [{ T: ['a'], or: [{ N: [1] }, { N: [2] }] }, { N: [3] }] }],
  ])('keeps what it cannot express: %j', (filter) => {
    const tree = readTree(filter, columns)
    expect(tree.items.some((item) => 'raw' in item)).toBe(true)
    expect(toFilter(tree, columns)).toEqual(filter)
  })

  it('leaves out conditions whose values are not entered, and groups without others', () => {
    const added = newCondition(columns[0]) as ConditionItem
    const group: GroupItem = { id: 1, join: 'or', items: [added] }
    expect(toFilter({ join: 'and', items: [added, group] }, columns)).toEqual({})
  })

  it('loses a group with its last condition', () => {
    const tree = readTree({ N: [1], or: [{ T: ['a'] }, { L: { has: 'b' } }] }, columns)
    const group = tree.items[1] as GroupItem
    const left = group.items.reduce(
      (items, { id }) => replaceItem(items, id, undefined),
      tree.items,
    )
    expect(toFilter({ ...tree, items: left }, columns)).toEqual({ N: [1] })
    expect(countConditions(tree)).toBe(3)
  })

  it('restricts the values of a condition by the other conditions', () => {
    const filter = { N: { gt: 1 }, T: ['a'], or: [{ T: ['b'] }, { L: { has: ['x'] } }] }
    const tree = readTree(filter, columns)
    const rest = (id: number | undefined) => toFilter(restOf(tree, id ?? 0), columns)
    const group = tree.items[2] as GroupItem
    expect(rest(tree.items[0]?.id)).toEqual({ T: ['a'], or: filter.or })
    expect(rest(group.items[0]?.id)).toEqual({ N: { gt: 1 }, T: ['a'] })
    const either = readTree({ or: [{ T: ['b'] }, { N: [1] }] }, columns)
    expect(toFilter(restOf(either, either.items[0]?.id ?? 0), columns)).toEqual({})
  })

  it('loses the conditions of a column, also those in groups', () => {
    const filter = { T: ['a'], or: [{ T: ['b'] }, { N: [1], T: ['c'] }], and: [{ T: ['d'] }] }
    expect(withoutColumn(filter, 'T')).toEqual({ or: [{ N: [1] }] })
    expect(namesColumn(filter, 'T')).toBe(true)
    expect(namesColumn(filter, 'L')).toBe(false)
  })
})

/** Reference model: the meaning of the form. */
function means(row: Row, { join, items }: FilterTree): boolean {
  const known = items.flatMap((item): boolean[] => {
    if (!isCondition(item)) return 'items' in item ? [means(row, item)] : []
    if (!isComplete(item)) return []
    return [passes(row, toFilter({ join: 'and', items: [item] }, columns))]
  })
  if (known.length === 0) return true
  return join === 'and' ? known.every(Boolean) : known.some(Boolean)
}
