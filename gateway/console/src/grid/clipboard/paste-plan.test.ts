import { sampleColumn } from '../../api/sample-column'
import { planPaste } from './paste-plan'

const column = (id: string, type: string, formula?: string) =>
  sampleColumn(id, { type, isFormula: formula !== undefined, formula: formula ?? '' })

const columns = [column('Name', 'Text'), column('Size', 'Numeric'), column('Double', 'Any', '$A')]
const rowAt = (index: number) => ({ id: index + 1, fields: {} })
const place = { columns, firstRow: 10, total: 100, rowAt }

describe('a block of cells that is pasted', () => {
  it('goes into the rows from the one with the focus on, as if it was typed there', () => {
    const lines = [
      ['7', '1,234.5'],
      ['b', 'much'],
    ]
    expect(planPaste(lines, place)).toEqual({
      changes: [
        { id: 11, fields: { Name: '7', Size: 1234.5 } },
        { id: 12, fields: { Name: 'b', Size: 'much' } },
      ],
    })
  })

  it('ends before a row that is not read, instead of going into the rows after it', () => {
    const gap = { ...place, rowAt: (index: number) => (index === 11 ? undefined : rowAt(index)) }
    expect(planPaste([['a'], ['b'], ['c']], gap)).toEqual({
      changes: [{ id: 11, fields: { Name: 'a' } }],
      problem: 'Pasted 1 of 3 rows: the next one is not read yet.',
    })
    expect(planPaste([['a']], { ...gap, firstRow: 11 }).changes).toEqual([])
  })

  it('goes into the new columns of a new table, which have a formula that is empty', () => {
    const fresh = { ...place, columns: [column('A', 'Any', '')] }
    expect(planPaste([['a']], fresh)).toEqual({ changes: [{ id: 11, fields: { A: 'a' } }] })
  })

  it('is refused where it is too wide, or meets a column that is computed', () => {
    expect(planPaste([['a'], ['b', '', '', '']], place)).toEqual({
      changes: [],
      problem: 'Paste: the cells are 4 columns wide, and 3 begin here.',
    })
    expect(planPaste([['a', '', '5']], place).problem).toBe('Paste: Double is computed.')
  })

  it('may be longer than what is pasted at once, and than the table', () => {
    const long = Array.from({ length: 300_000 }, () => ['x'])
    const { changes, problem } = planPaste(long, { ...place, total: 1_000_000 })
    expect(changes).toHaveLength(1_000)
    expect(problem).toBe('Pasted 1000 of 300000 rows: so many at most are pasted at once.')
    const end = { ...place, firstRow: 99, total: 100 }
    const last = planPaste([['a'], ['b']], {
      ...end,
      rowAt: (index) => (index < 100 ? rowAt(index) : undefined),
    })
    expect(last.problem).toBe('Pasted 1 of 2 rows: the others do not fit below this cell.')
  })
})
