import type { RowOperation } from '@sheaf/client'
import type { Column } from '../api/resources'
import { sampleColumnOf } from '../formats/column'
import {
  changesLane,
  hiddenValues,
  laneFilter,
  laneKey,
  lanesOf,
  laneTitle,
  laneValue,
  MAX_LANES,
} from './lanes'

const columnOf = (type: string, choices: readonly string[] = []): Column => ({
  ...sampleColumnOf(type, JSON.stringify({ choices })),
  id: 'A',
})
const rulesOf = (values: readonly unknown[] = [], isDescending = false) => ({
  values,
  isDescending,
  textOf: (value: unknown) => String(value),
})
const keysOf = (column: Column, rules = rulesOf()) => lanesOf(column, rules).map(({ key }) => key)

describe('the lanes of a board', () => {
  const choice = columnOf('Choice', ['b', 'a'])

  it('are that of rows without a value, those of choices in order, and those of other values', () => {
    const values = ['a', 'z', null, 'y', '', ['L', 'x']]
    expect(keysOf(choice, rulesOf(values))).toEqual(['empty', '"b"', '"a"', '"y"', '"z"'])
    expect(keysOf(choice, rulesOf(values, true))).toEqual(['empty', '"z"', '"y"', '"a"', '"b"'])
  })

  it('are in the order of numbers, and of the labels of references', () => {
    expect(keysOf(columnOf('Int'), rulesOf([10, 9, null, 0]))).toEqual(['empty', '0', '9', '10'])
    const labels: Readonly<Record<number, string>> = { 1: 'Zoe', 2: 'Ann' }
    const rules = { ...rulesOf([0, 1, 2]), textOf: (id: unknown) => labels[Number(id)] ?? '' }
    expect(keysOf(columnOf('Ref:People'), rules)).toEqual(['empty', '2', '1'])
  })

  it('are two for a column of checkboxes', () => {
    const column = columnOf('Bool')
    const [no, yes, ...others] = lanesOf(column, rulesOf())
    expect(others).toEqual([])
    expect([false, null, undefined, 'text', true].map((value) => laneKey(value, column))).toEqual([
      'empty',
      'empty',
      'empty',
      'empty',
      'true',
    ])
    expect([no, yes].map((lane) => lane && laneValue(lane, column))).toEqual([false, true])
    expect([no, yes].map((lane) => lane && laneTitle(lane, column, String))).toEqual([
      'A: No',
      'A: Yes',
    ])
    expect(no && laneFilter(no, column, {})).toEqual({ A: { notIn: [true] } })
  })

  it('are limited', () => {
    const values = Array.from({ length: 300 }, (_, value) => value)
    expect(lanesOf(columnOf('Int'), rulesOf(values))).toHaveLength(MAX_LANES)
  })

  it('do not hide values without a word: those without a lane are counted, with their rows', () => {
    const numbers = columnOf('Int')
    const listed = Array.from({ length: 120 }, (_, value) => ({ value, count: 2 }))
    const lanes = lanesOf(numbers, rulesOf(listed.map(({ value }) => value)))
    const known = { values: listed, total: 120 }
    expect(hiddenValues(numbers, lanes, known)).toEqual({ values: 21, rows: 42, isExact: true })
    const more = { ...known, total: 130 }
    expect(hiddenValues(numbers, lanes, more)).toEqual({ values: 31, rows: 52, isExact: false })
    const others = [null, 'a', ['E', 'TypeError']].map((value) => ({ value, count: 1 }))
    expect(hiddenValues(choice, lanesOf(choice, rulesOf()), { values: others, total: 3 })).toEqual({
      ...{ values: 1, rows: 1, isExact: true },
    })
    const all = { values: others.slice(0, 2), total: 2 }
    expect(hiddenValues(choice, lanesOf(choice, rulesOf()), all)).toBeUndefined()
    expect(hiddenValues(columnOf('Bool'), [], known)).toBeUndefined()
  })

  it('filter by their value within the filter of the view', () => {
    const [empty, first] = lanesOf(choice, rulesOf())
    expect(empty && laneFilter(empty, choice, {})).toEqual({ A: [null, ''] })
    expect(first && laneFilter(first, choice, { B: [1] })).toEqual({
      and: [{ B: [1] }, { A: ['b'] }],
    })
    expect(empty && laneTitle(empty, choice, String)).toBe('No A')
    expect(first && laneValue(first, choice)).toBe('b')
  })
})

describe('a change of rows', () => {
  const column = columnOf('Choice', ['a', 'b'])
  const lane = { key: '"a"', value: 'a' }
  const change = (action: RowOperation['action'], columns: RowOperation['columns'] = {}) =>
    changesLane({ action, tableId: 'T', tableRef: 1, rowIds: [1], columns }, lane, column)
  const cells = (old: unknown, next: unknown) => ({ A: { colRef: 2, old: [old], new: [next] } })

  it('changes the lanes that rows leave and enter', () => {
    expect(change('updateRows', cells('a', 'b'))).toBe(true)
    expect(change('updateRows', cells('', 'a'))).toBe(true)
    expect(change('updateRows', cells('', 'b'))).toBe(false)
    expect(change('addRows', { A: { colRef: 2, new: ['a'] } })).toBe(true)
    expect(change('addRows', { A: { colRef: 2, new: ['b'] } })).toBe(false)
    expect(change('removeRows', { A: { colRef: 2, old: ['b'] } })).toBe(false)
  })

  it('may change any lane if the values before are not known', () => {
    expect(change('updateRows', { A: { colRef: 2, new: ['b'] } })).toBe(true)
    expect(change('updateRows', { B: { colRef: 3, new: ['b'] } })).toBe(true)
    expect(change('removeRows')).toBe(true)
  })

  it('adds rows without a value to the lane of these', () => {
    expect(change('addRows')).toBe(false)
    const added = {
      action: 'addRows',
      tableId: 'T',
      tableRef: 1,
      rowIds: [1],
      columns: {},
    } as const
    expect(changesLane(added, { key: 'empty', value: null }, column)).toBe(true)
  })
})
