import { sampleColumn } from '../../api/sample-column'
import { describeSummary, summarize } from './range-summary'

const column = (id: string, type: string) => sampleColumn(id, { type })
const rows = (...values: readonly (readonly unknown[])[]) =>
  values.map(([A, B], index) => ({ id: index + 1, fields: { A, B } }))

describe('the summary of a range', () => {
  it('counts all cells, and sums the numbers', () => {
    const summary = summarize(rows(['x', 1], [2, null], ['E', 5]), [
      column('A', 'Any'),
      column('B', 'Int'),
    ])
    expect(summary).toEqual({ cells: 6, numbers: { count: 3, sum: 8, average: 8 / 3 } })
    expect(describeSummary(summary)).toBe('6 cells selected, sum 8, average 2.66666666667')
  })

  it.each(['Date', 'DateTime:UTC', 'Ref:People', 'Bool'])('does not sum values of %s', (type) => {
    expect(summarize(rows([1], [2]), [column('A', type)])).toEqual({ cells: 2 })
  })

  it('has no rounding errors of many small summands, and no NaN of infinite ones', () => {
    const tenths = rows(...Array.from({ length: 10 }, () => [0.1]))
    expect(summarize(tenths, [column('A', 'Numeric')]).numbers?.sum).toBe(1)
    const infinite = summarize(rows([Infinity], [1]), [column('A', 'Numeric')])
    expect(infinite.numbers?.sum).toBe(Infinity)
  })
})
