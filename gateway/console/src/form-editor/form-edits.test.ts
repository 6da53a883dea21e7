import type { Column } from '../api/resources'
import { toDraft } from '../form/form-settings'
import { sampleColumnOf } from '../formats/column'
import { followColumns, isSameForm } from './form-edits'

const column = (id: string, colRef: number): Column => ({
  id,
  fields: { ...sampleColumnOf('Text').fields, isFormula: false, colRef },
})
const form = (...ids: readonly string[]) => toDraft({ fields: ids.map((id) => ({ id })) })

describe('edits of a form', () => {
  const columns = [column('A', 1), column('B', 2)]
  const edits = { began: form('A', 'B'), draft: form('B', 'A'), columns }

  it('follow columns that are renamed, also to the name of another one', () => {
    const renamed = [column('B', 1), column('C', 2)]
    expect(followColumns(edits, renamed)).toEqual({
      began: form('B', 'C'),
      draft: form('C', 'B'),
      columns: renamed,
    })
  })

  it('have no questions of columns that are deleted', () => {
    expect(followColumns(edits, [column('B', 2), column('D', 3)]).draft).toEqual(form('B'))
  })

  it('are the same as what is stored with what a question does not set', () => {
    const stored = [{ id: 'A', label: '', help: '', required: false, multiline: false }]
    expect(isSameForm(form('A'), toDraft({ fields: stored }))).toBe(true)
    expect(isSameForm(form('A'), toDraft({ title: 'T', fields: stored }))).toBe(false)
  })
})
