import { growthOperations } from './growth-operations'

describe('a paste that adds columns and rows', () => {
  it('expects the cells that it overwrites to be as they were read', () => {
    const plan = {
      changes: [{ id: 1, fields: { Name: 'new', A: 'x' } }],
      addedRows: [{ Name: 'more', A: 'y' }],
      missingColumns: 0,
    }
    const rows = [{ id: 1, fields: { Name: 'old', Size: 5 } }]
    expect(growthOperations('Things', plan, rows, ['A'])).toEqual([
      {
        op: 'addColumns',
        table: 'Things',
        columns: [{ id: 'A', fields: { type: 'Any', label: 'A' } }],
      },
      {
        op: 'updateRecords',
        table: 'Things',
        records: [{ id: 1, fields: { Name: 'new', A: 'x' }, expect: { Name: 'old' } }],
      },
      { op: 'addRecords', table: 'Things', records: [{ fields: { Name: 'more', A: 'y' } }] },
    ])
  })
})
