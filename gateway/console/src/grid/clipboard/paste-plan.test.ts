import { sampleColumn } from '../../api/sample-column'
import { planPaste } from './paste-plan'

const column = (id: string, type: string, formula?: string) =>
  sampleColumn(id, { type, isFormula: formula !== undefined, formula: formula ?? '' })

const columns = [column('Name', 'Text'), column('Size', 'Numeric'), column('Double', 'Any', '$A')]
const rowAt = (index: number) => ({ id: index + 1, fields: {} })
const target = { columns, firstColumn: 0, firstRow: 10, total: 100, rowAt }

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

  it('is rejected if it covers a formula column', () => {
    expect(planPaste([['a', '', '5']], target)).toEqual({
      changes: [],
      problem: 'Could not paste: Double is a formula column.',
    })
  })

  it('needs rows and columns where the table ends', () => {
    const end = {
      ...target,
      columns: [column('Name', 'Text'), column('a', 'Numeric')],
      firstColumn: 1,
      firstRow: 99,
      rowAt: (index: number) => (index < 100 ? rowAt(index) : undefined),
    }
    const lines = [
      ['1', 'x', 'y'],
      ['2', 'z'],
    ]
    expect(planPaste(lines, end)).toEqual({
      changes: [{ id: 100, fields: { a: 1, B: 'x', C: 'y' } }],
      growth: { rows: [{ a: 2, B: 'z' }], columns: ['B', 'C'] },
    })
    // Only those rows are added that are certain to come after the last one.
    expect(planPaste(lines, { ...end, total: 101 }).growth?.rows).toEqual([])
  })

  it('needs columns whose ids are free, however many', () => {
    const wide = planPaste([Array.from({ length: 60 }, (_, at) => `${at}`)], target)
    expect(wide.growth).toBeUndefined()
    const plain = { ...target, columns: [column('B', 'Text')] }
    const { growth } = planPaste([Array.from({ length: 60 }, (_, at) => `${at}`)], plain)
    expect(new Set(growth?.columns).size).toBe(59)
    expect(growth?.columns.slice(0, 2)).toEqual(['A', 'C'])
    expect(growth?.columns[25]).toBe('A1')
  })

  it('is truncated at the maximum number of rows', () => {
    const long = Array.from({ length: 300_000 }, () => ['x'])
    const { changes, problem } = planPaste(long, { ...target, total: 1_000_000 })
    expect(changes).toHaveLength(1_000)
    expect(problem).toBe('Pasted 1000 of 300000 rows: at most 1000 rows can be pasted at once.')
  })
})
