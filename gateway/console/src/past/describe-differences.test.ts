import { describeDifferences } from './describe-differences'

const none = { added: 0, removed: 0, changed: 0 }
const table = { tableId: 'Beds', tableRef: 2, change: 'none', columns: none, rows: none } as const

describe('differences of a table', () => {
  it('are counted by columns and rows', () => {
    const rows = { added: 1, removed: 12, changed: 2500 }
    const columns = { ...none, changed: 1 }
    expect(describeDifferences({ ...table, columns, rows })).toBe(
      'Table Beds: 1 column changed; 1 row added, 12 deleted, 2,500 changed',
    )
  })

  it('begin with the table itself', () => {
    expect(describeDifferences({ ...table, change: 'removed' })).toBe('Table Beds: is deleted')
    const rows = { ...none, added: 2 }
    expect(describeDifferences({ ...table, change: 'added', rows })).toBe(
      'Table Beds: is added; 2 rows added',
    )
  })
})
