import { sampleColumn } from '../../api/sample-column'
import { planClear, planFillDown, repeatCell } from './range-changes'

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

  it('is filled down from its first row', () => {
    const rows = [row(1, 'a', undefined), row(4, 'b', 2), row(5, 'c', 3)]
    expect(planFillDown(rows, [text, number])).toEqual({
      changes: [
        { id: 4, fields: { A: 'a', B: null } },
        { id: 5, fields: { A: 'a', B: null } },
      ],
    })
    expect(planFillDown([row(1, ['E', 'TypeError'], 1), row(2, 'b', 2)], [text])).toEqual({
      changes: [{ id: 2, fields: { A: null } }],
    })
    expect(planFillDown(rows, [text, formula])).toHaveProperty('problem')
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
