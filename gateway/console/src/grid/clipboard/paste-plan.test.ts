import { sampleColumn } from '../../api/sample-column'
import { planPaste } from './paste-plan'

const column = (id: string, type: string, formula?: string) =>
  sampleColumn(id, { type, isFormula: formula !== undefined, formula: formula ?? '' })

const columns = [column('Name', 'Text'), column('Size', 'Numeric'), column('Double', 'Any', '$A')]
const rowAt = (index: number) => ({ id: index + 1, fields: {} })
const target = { columns, firstRow: 10, total: 100, rowAt }

describe('a pasted block of cells', () => {
  it('fills the rows from the focused one, with text parsed as if it were typed', () => {
    const lines = [
      ['7', '1,234.5'],
      ['b', 'much'],
    ]
    expect(planPaste(lines, target)).toEqual({
      changes: [
        { id: 11, fields: { Name: '7', Size: 1234.5 } },
        { id: 12, fields: { Name: 'b', Size: 'much' } },
      ],
    })
  })

  it('ends before a row that is not loaded, instead of skipping it', () => {
    const gap = { ...target, rowAt: (index: number) => (index === 11 ? undefined : rowAt(index)) }
    expect(planPaste([['a'], ['b'], ['c']], gap)).toEqual({
      changes: [{ id: 11, fields: { Name: 'a' } }],
      problem: 'Pasted 1 of 3 rows: the next row is not loaded yet.',
    })
    expect(planPaste([['a']], { ...gap, firstRow: 11 }).changes).toEqual([])
  })

  it('fills the new columns of a new table, whose formulas are empty', () => {
    const fresh = { ...target, columns: [column('A', 'Any', '')] }
    expect(planPaste([['a']], fresh)).toEqual({ changes: [{ id: 11, fields: { A: 'a' } }] })
  })

  it('is rejected if it is too wide or covers a formula column', () => {
    expect(planPaste([['a'], ['b', '', '', '']], target)).toEqual({
      changes: [],
      problem: 'Could not paste: the selection has 4 columns, but only 3 are available here.',
    })
    expect(planPaste([['a', '', '5']], target).problem).toBe(
      'Could not paste: Double is a formula column.',
    )
  })

  it('is truncated at the maximum number of rows and at the end of the table', () => {
    const long = Array.from({ length: 300_000 }, () => ['x'])
    const { changes, problem } = planPaste(long, { ...target, total: 1_000_000 })
    expect(changes).toHaveLength(1_000)
    expect(problem).toBe('Pasted 1000 of 300000 rows: at most 1000 rows can be pasted at once.')
    const end = { ...target, firstRow: 99, total: 100 }
    const last = planPaste([['a'], ['b']], {
      ...end,
      rowAt: (index) => (index < 100 ? rowAt(index) : undefined),
    })
    expect(last.problem).toBe('Pasted 1 of 2 rows: there are not enough rows below this cell.')
  })
})
