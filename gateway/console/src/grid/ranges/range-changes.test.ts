import { sampleColumn } from '../../api/sample-column'
import { planClear, planFill, repeatCell } from './range-changes'

const text = sampleColumn('A', { type: 'Text' })
const number = sampleColumn('B', { type: 'Numeric' })
const formula = sampleColumn('C', { type: 'Any', isFormula: true, formula: '$A' })
const row = (id: number, A: unknown, B: unknown) => ({ id, fields: { A, B, C: A } })

describe('a selected range', () => {
  it('is emptied, except for formula columns', () => {
    expect(planClear([row(1, 'a', 1), row(4, 'b', 2)], [text, formula])).toEqual({
      changes: [
        { id: 1, fields: { A: null } },
        { id: 4, fields: { A: null } },
      ],
    })
    expect(planClear([row(1, 'a', 1)], [formula])).toHaveProperty('problem')
  })

  it('is filled from its first row', () => {
    const down = { first: 0, count: 1 }
    const rows = [row(1, 'a', undefined), row(4, 'b', 2), row(5, 'c', 3)]
    expect(planFill(rows, [text, number], down)).toEqual({
      changes: [
        { id: 4, fields: { A: 'a', B: null } },
        { id: 5, fields: { A: 'a', B: null } },
      ],
    })
    expect(planFill([row(1, ['E', 'TypeError'], 1), row(2, 'b', 2)], [text], down)).toEqual({
      changes: [{ id: 2, fields: { A: null } }],
    })
    expect(planFill(rows, [text, formula], down)).toHaveProperty('problem')
  })

  it.each([
    [
      [1, 2],
      [3, 4],
    ],
    [
      [0.1, 0.2, 0.3],
      [0.4, 0.5],
    ],
    [
      [10, 7],
      [4, 1],
    ],
    [
      [1, 2, 4],
      [1, 2],
    ],
    [[5], [5, 5]],
    [
      [null, 1],
      [null, 1],
    ],
  ])('goes on after %j with %j', (values, wanted) => {
    const rows = [...values, ...wanted.map(() => 0)].map((value, at) => row(at, 'x', value))
    const source = { first: 0, count: values.length }
    expect(planFill(rows, [number], source)).toEqual({
      changes: wanted.map((B, at) => ({ id: values.length + at, fields: { B } })),
    })
  })

  it('goes on backwards, too', () => {
    const rows = [0, 0, 0, 5, 7].map((value, at) => row(at, `t${at}`, value))
    expect(planFill(rows, [text, number], { first: 3, count: 2 })).toEqual({
      changes: [
        { id: 0, fields: { A: 't4', B: -1 } },
        { id: 1, fields: { A: 't3', B: 1 } },
        { id: 2, fields: { A: 't4', B: 3 } },
      ],
    })
  })

  it('takes a single pasted cell in all its cells, and a block as it is', () => {
    const size = { rows: 2, columns: 3 }
    expect(repeatCell([['x']], size)).toEqual([
      ['x', 'x', 'x'],
      ['x', 'x', 'x'],
    ])
    expect(repeatCell([['x', 'y']], size)).toEqual([['x', 'y']])
  })
})
