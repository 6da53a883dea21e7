import { sampleColumn } from '../../api/sample-column'
import { planPaste, type PasteTarget } from './paste-plan'

const column = (id: string, type: string, formula?: string) =>
  sampleColumn(id, { type, isFormula: formula !== undefined, formula: formula ?? '' })

const columns = [column('Name', 'Text'), column('Size', 'Numeric'), column('Double', 'Any', '$A')]
const plan = (lines: readonly (readonly string[])[], target: PasteTarget) =>
  planPaste(
    lines.map((line) => line.map((text) => ({ text }))),
    target,
  )
const rows = [11, 12].map((id) => ({ id, fields: {} }))

describe('a pasted block of cells', () => {
  it('fills the rows from the first one, with text parsed as if it were typed', () => {
    const lines = [
      ['7', '1,234.5'],
      ['b', 'much'],
    ]
    expect(plan(lines, { columns, rows })).toEqual({
      changes: [
        { id: 11, fields: { Name: '7', Size: 1234.5 } },
        { id: 12, fields: { Name: 'b', Size: 'much' } },
      ],
      addedRows: [],
      missingColumns: 0,
    })
  })

  it('fills the new columns of a new table, whose formulas are empty', () => {
    expect(plan([['a']], { columns: [column('A', 'Any', '')], rows })).toMatchObject({
      changes: [{ id: 11, fields: { A: 'a' } }],
    })
  })

  it('fills columns of the type of its values with these, and others with their text', () => {
    const columns = [column('Boss', 'Ref:People'), column('Pet', 'Ref:Pets')]
    const cell = { text: 'Ada', type: 'Ref:People', value: 5 }
    expect(planPaste([[cell, cell]], { columns, rows })).toMatchObject({
      changes: [{ id: 11, fields: { Boss: 5, Pet: 'Ada' } }],
    })
  })

  it('is rejected if it covers a formula column', () => {
    expect(plan([['a', '', '5']], { columns, rows })).toEqual({
      problem: 'Could not paste: Double is a formula column.',
    })
  })

  it('needs rows and columns where the table ends', () => {
    const lines = [['1', 'x', 'y'], ['2', 'z'], ['3']]
    const target = { columns: [column('Size', 'Numeric')], rows }
    expect(plan(lines, target)).toEqual({
      changes: [
        { id: 11, fields: { Size: 1 } },
        { id: 12, fields: { Size: 2 } },
      ],
      addedRows: [{ Size: 3 }],
      missingColumns: 2,
    })
    expect(plan(lines, { ...target, added: ['A', 'B'] })).toEqual({
      changes: [
        { id: 11, fields: { Size: 1, A: 'x', B: 'y' } },
        { id: 12, fields: { Size: 2, A: 'z' } },
      ],
      addedRows: [{ Size: 3 }],
      missingColumns: 0,
    })
  })

  it('may have more lines than can be arguments of a call', () => {
    const lines = Array.from({ length: 300_000 }, () => ['x'])
    expect(plan(lines, { columns, rows })).toMatchObject({ missingColumns: 0 })
  })
})
