import { partDone } from './import-file'

it('the bar of an import is not full while rows are stored', () => {
  expect(partDone({ sent: 0.5 })).toBe(0.5)
  expect(partDone({ sent: 1 })).toBeUndefined()
  expect(partDone({ sent: 1, rows: { rowsRead: 10, rowsStored: 5 } })).toBeUndefined()
})
