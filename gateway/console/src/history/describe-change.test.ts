import { authorOf, describeChange, describeCounts } from './describe-change'
import type { Change, Operation } from './history-queries'

const change = (...operations: readonly Operation[]): Change => ({
  seq: 2,
  time: '2026-03-01T09:30:00.000Z',
  user: { id: 5, name: 'Ada', email: 'ada@example.com' },
  cause: 'api',
  operations,
})
const table = { tableId: 'People', tableRef: 2 } as const
const rows = (action: 'addRows' | 'updateRows' | 'removeRows', ...rowIds: readonly number[]) => ({
  ...{ ...table, action, rowIds },
  columns: { Age: { colRef: 7, old: rowIds, new: rowIds } },
})
const column = (colId: string) => ({ ...table, action: 'addColumn', colId, colRef: 9 }) as const

describe('the description of a change', () => {
  it.each<[string, readonly Operation[]]>([
    ['changed row 3 in People', [rows('updateRows', 3)]],
    ['changed 3 rows in People', [rows('updateRows', 3, 4), rows('updateRows', 4, 5)]],
    ['added row 7 to People', [rows('addRows', 7)]],
    ['deleted 2 rows from People', [rows('removeRows', 1, 2)]],
    ['added 2 columns to People', [column('Age'), column('Born')]],
    [
      'added table People with 2 rows',
      [{ ...table, action: 'addTable' }, column('Age'), rows('addRows', 1, 2)],
    ],
    [
      'deleted table People with row 1',
      [rows('removeRows', 1), { ...table, action: 'removeTable' }],
    ],
    [
      'renamed table People to Folk and changed row 1 in Pets',
      [
        { ...table, action: 'updateTable', old: { tableId: 'People' }, new: { tableId: 'Folk' } },
        { ...rows('updateRows', 1), tableId: 'Pets', tableRef: 3 },
      ],
    ],
    [
      'renamed column Age in People to Years',
      [
        {
          ...{ ...table, action: 'updateColumn', colId: 'Age', colRef: 7 },
          ...{ old: { colId: 'Age' }, new: { colId: 'Years' } },
        },
      ],
    ],
    ['attached a file', [{ ...rows('addRows', 1), tableId: '_grist_Attachments', tableRef: 0 }]],
    ['changed a view', [{ ...rows('updateRows', 1), tableId: '_sheaf_views', tableRef: -2 }]],
    ['changed nothing', []],
  ])('reads: %s', (text, operations) => {
    expect(describeChange(change(...operations))).toBe(text)
  })

  it('names three operations and counts the others', () => {
    const operations = [1, 2, 3, 4, 5].map((tableRef) => ({
      ...rows('updateRows', 1),
      tableRef,
      tableId: `T${tableRef}`,
    }))
    expect(describeChange(change(...operations))).toBe(
      'changed row 1 in T1, changed row 1 in T2, changed row 1 in T3 and 2 more',
    )
  })

  it('indicates that the list of operations is incomplete', () => {
    expect(describeChange({ ...change(), truncated: true })).toBe('made a very large change')
    expect(describeChange({ ...change(rows('addRows', 1)), truncated: true })).toBe(
      'added row 1 to People, and more',
    )
  })

  it('names the author', () => {
    expect(authorOf(change(), 6)).toBe('Ada')
    expect(authorOf(change(), 5)).toBe('You')
    expect(authorOf({ ...change(), user: null }, 5)).toBe('Sheaf')
    const deleted = { id: 9, name: null, email: null }
    expect(authorOf({ ...change(), user: deleted }, 5)).toBe('Deleted user')
  })
})

describe('the description of a change by its counts', () => {
  const none = { addedRows: 0, updatedRows: 0, removedRows: 0, structure: false }
  const people = { ...none, tableId: 'People' }

  it('names what happened to which table', () => {
    expect(describeCounts([{ ...people, addedRows: 2 }])).toBe('added 2 rows to People')
    const files = { ...none, tableId: '_grist_Attachments', addedRows: 1 }
    expect(describeCounts([{ ...people, updatedRows: 1, removedRows: 1 }, files])).toBe(
      'changed 1 row in People, deleted 1 row from People and attached a file',
    )
    const views = { ...none, tableId: '_sheaf_views', addedRows: 2, removedRows: 1 }
    expect(describeCounts([views])).toBe('added 2 views and deleted a view')
    expect(describeCounts([{ ...people, structure: true }], true)).toBe(
      'changed the structure of People, and more',
    )
    expect(describeCounts([], true)).toBe('made a very large change')
  })

  it('names the import that made the document', () => {
    expect(describeChange({ operations: [], cause: 'import' })).toBe('imported the document')
    expect(describeChange({ operations: [], cause: 'api' })).toBe('changed nothing')
  })
})
