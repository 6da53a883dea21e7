import { partDone } from './import-file'

describe('the bar of an import', () => {
  it('shows how much of the file was sent', () => {
    expect(partDone({ sent: 0.5 }, 10)).toBe(0.5)
  })

  it('is not full while rows are read and stored', () => {
    expect(partDone({ sent: 1 }, 10)).toBeUndefined()
    expect(partDone({ sent: 1, rows: { rowsRead: 10, rowsStored: 0 } }, 10)).toBe(0.5)
    expect(partDone({ sent: 1, rows: { rowsRead: 10, rowsStored: 5 } }, 10)).toBe(0.75)
  })

  it('shows no part of a number of rows that is not known', () => {
    expect(partDone({ sent: 1, rows: { rowsRead: 10, rowsStored: 5 } })).toBeUndefined()
  })
})
