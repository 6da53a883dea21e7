import fc from 'fast-check'
import { parseSort } from '../../query/sort'
import { columnType } from '../../values/column-types'
import type { Column, Table } from '../schema/schema'
import {
  readColumns,
  readFilter,
  readSort,
  storeColumns,
  storeFilter,
  storeSort,
  type FilterJson,
} from './view-columns'

const ids = ['A', 'id2', 'or_', 'Été', 'c3', 'manualSort']

/** A table whose columns have these ids, with the refs 1, 2 and so on; without id, a column does not exist. */
function tableOf(names: readonly (string | undefined)[]): Table {
  const columns = names.flatMap((id, i) =>
    id === undefined ? [] : [{ id, ref: i + 1, type: columnType('Text') } as Column],
  )
  return {
    columns,
    byId: new Map(columns.map((column) => [column.id, column])),
  } as unknown as Table
}

const table = tableOf(ids)
const renamed = tableOf(ids.map((id) => `${id}_new`))
const withoutFirst = tableOf([undefined, ...ids.slice(1)])

const named = fc.constantFrom(...ids, 'id')
const wanted = fc.oneof(
  fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 }),
  fc.record({ gte: fc.integer() }),
)
const conditions = fc.dictionary(named, wanted, { noNullPrototype: true })
const filters: fc.Arbitrary<FilterJson> = fc
  .tuple(
    conditions,
    fc.array(
      conditions.filter((one) => Object.keys(one).length > 0),
      { maxLength: 2 },
    ),
  )
  .chain(([all, group]) =>
    fc
      .constantFrom('or', 'and')
      .map((join) => (group.length > 0 ? { ...all, [join]: group } : all)),
  )
const columns = fc.uniqueArray(
  fc.record(
    {
      id: fc.constantFrom(...ids),
      width: fc.integer({ min: 20, max: 2_000 }),
      hidden: fc.constant(true as const),
    },
    { requiredKeys: ['id'], noNullPrototype: true },
  ),
  { selector: ({ id }) => id },
)
const sorts = fc.array(
  fc
    .tuple(
      fc.constantFrom('', '-'),
      named,
      fc.constantFrom('', ':naturalSort', ':emptyLast;orderByChoice'),
    )
    .map((parts) => parts.join('')),
  { maxLength: 4 },
)

describe('what a view shows', () => {
  it('reads as it was written', () => {
    fc.assert(
      fc.property(filters, columns, sorts, (filter, list, keys) => {
        expect(readFilter(table, storeFilter(table, filter))).toEqual(filter)
        expect(Object.keys(readFilter(table, storeFilter(table, filter)))).toEqual(
          Object.keys(filter),
        )
        expect(readColumns(table, storeColumns(table, list))).toEqual(list)
        expect(readSort(table, storeSort(table, parseSort(keys, table)))).toEqual(keys)
      }),
    )
  })

  it('follows new names of columns', () => {
    const filter = { A: ['x'], or: [{ c3: [1] }, { id: [2] }] }
    expect(readFilter(renamed, storeFilter(table, filter))).toEqual({
      A_new: ['x'],
      or: [{ c3_new: [1] }, { id: [2] }],
    })
    expect(readSort(renamed, storeSort(table, parseSort(['-A', 'id'], table)))).toEqual([
      '-A_new',
      'id',
    ])
    expect(readColumns(renamed, storeColumns(table, [{ id: 'A', width: 50 }]))).toEqual([
      { id: 'A_new', width: 50 },
    ])
  })

  it('leaves out columns that are gone, and alternatives of which nothing is left', () => {
    const filter = { A: ['x'], id: [1], or: [{ A: [1] }, { c3: [2], A: [3] }] }
    expect(readFilter(withoutFirst, storeFilter(table, filter))).toEqual({
      id: [1],
      or: [{ c3: [2] }],
    })
    const alone = storeFilter(table, { or: [{ A: [1] }] })
    expect(readFilter(withoutFirst, alone)).toEqual({})
    const sort = storeSort(table, parseSort(['A', '-c3'], table))
    expect(readSort(withoutFirst, sort)).toEqual(['-c3'])
    const list = storeColumns(table, [{ id: 'A' }, { id: 'c3', hidden: true }])
    expect(readColumns(withoutFirst, list)).toEqual([{ id: 'c3', hidden: true }])
  })

  it('is nothing for text that was never written', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('{"or":1}', '{"and":[1]}', '[{"column":1}]', '[["c1"]]'),
    )
    fc.assert(
      fc.property(texts, (text) => {
        for (const key of Object.keys(readFilter(table, text)))
          expect([...ids, 'id', 'or', 'and']).toContain(key)
        for (const { id } of readColumns(table, text)) expect(ids.concat('id')).toContain(id)
        expect(() => parseSort(readSort(table, text), table)).not.toThrow()
      }),
    )
  })
})
