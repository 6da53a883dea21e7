import type { ImportPreview } from '@sheaf/client'
import { changeOptions, chooseType, countRows, optionsToImport } from './import-options'

const preview: ImportPreview = {
  format: 'csv',
  options: { delimiter: ';', header: true, decimal: ',', encoding: 'utf-8' },
  tables: [
    { id: 'A', rows: 3, columns: [], records: [] },
    { id: 'B', rows: 4, columns: [], records: [] },
  ],
  hasMore: false,
  notes: [],
}

describe('the options of an import', () => {
  const typed = chooseType({}, { table: 'T', column: 'A' }, 'Text')

  it('have the types of several columns', () => {
    expect(chooseType(typed, { table: 'T', column: 'B' }, 'Int')).toEqual({
      types: { T: { A: 'Text', B: 'Int' } },
    })
  })

  it('lose the types with a change that gives the columns other names', () => {
    expect(changeOptions(typed, { header: false })).toEqual({ header: false })
    expect(changeOptions(typed, { decimal: ',' })).toEqual({ ...typed, decimal: ',' })
  })

  it('are those that were shown, but for an encoding that nobody has chosen', () => {
    expect(optionsToImport({ decimal: '.' }, preview)).toEqual({
      delimiter: ';',
      header: true,
      decimal: '.',
    })
  })
})

it('the number of rows is not known from the beginning of a file', () => {
  expect(countRows(preview)).toBe(7)
  expect(countRows({ ...preview, hasMore: true })).toBeUndefined()
})
