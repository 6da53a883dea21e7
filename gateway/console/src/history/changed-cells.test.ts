import { sampleColumnOf } from '../formats/column'
import { changedValue, firstCells, onlyRow } from './changed-cells'

const table = { tableId: 'People', tableRef: 2 } as const

describe('the cells of a change', () => {
  it('are those listed by an update whose values differ', () => {
    const operation = {
      ...table,
      action: 'updateRows',
      rowIds: [1, 2],
      columns: {
        Age: { colRef: 7, old: [41, 7], new: [42, 7] },
        Tags: {
          colRef: 8,
          old: [['L', 'a'], null],
          new: [
            ['L', 'a'],
            ['L', 'b'],
          ],
        },
        manualSort: { colRef: 0, old: [1, 2], new: [2, 1] },
      },
    } as const
    expect(firstCells([operation], 10)).toEqual({
      count: 2,
      cells: [
        { ...table, rowId: 1, colId: 'Age', colRef: 7, old: 41, new: 42 },
        { ...table, rowId: 2, colId: 'Tags', colRef: 8, old: null, new: ['L', 'b'] },
      ],
    })
  })

  it('are all non-empty cells of added and removed rows', () => {
    const columns = { Name: { colRef: 6, new: ['Ada', ''] }, Age: { colRef: 7, new: [null, 0] } }
    const operation = { ...table, action: 'addRows', rowIds: [1, 2], columns } as const
    expect(firstCells([operation], 10).cells).toEqual([
      { ...table, rowId: 1, colId: 'Name', colRef: 6, new: 'Ada' },
      { ...table, rowId: 2, colId: 'Age', colRef: 7, new: 0 },
    ])
  })

  it('include the values of a removed column', () => {
    const column = { ...table, action: 'removeColumn', colId: 'Age', colRef: 7 } as const
    const cells = { rowIds: [1, 2], old: [41, null] }
    expect(firstCells([{ ...column, cells }], 10).cells).toEqual([
      { ...table, rowId: 1, colId: 'Age', colRef: 7, old: 41 },
    ])
  })

  it('are counted, although only the first are listed', () => {
    const rowIds = Array.from({ length: 100 }, (_, index) => index + 1)
    const columns = { Age: { colRef: 7, old: rowIds, new: rowIds.map((id) => id + 1) } }
    const { cells, count } = firstCells([{ ...table, action: 'updateRows', rowIds, columns }], 3)
    expect([cells.map(({ rowId }) => rowId), count]).toEqual([[1, 2, 3], 100])
  })
})

describe('a row of a change', () => {
  const update = {
    ...table,
    action: 'updateRows',
    rowIds: [7],
    columns: { Name: { colRef: 6, old: ['Ada'], new: ['Bea'] } },
  } as const
  const removal = {
    ...table,
    action: 'removeRows',
    rowIds: [7, 8],
    columns: { Name: { colRef: 6, old: ['Cleo', 'Dan'] } },
  } as const
  const row = { tableRef: 2, rowId: 7 }
  const column = (colRef: number) => {
    const { id, fields } = sampleColumnOf('Text')
    return { id, fields: { ...fields, colRef } }
  }

  it('is the only one if all operations are on it', () => {
    expect(onlyRow([update, update])).toEqual(row)
    expect(onlyRow([update, removal])).toBeUndefined()
    expect(onlyRow([update, { ...update, tableRef: 3 }])).toBeUndefined()
    expect(onlyRow([{ ...table, action: 'addTable' }, update])).toBeUndefined()
    expect(onlyRow([])).toBeUndefined()
  })

  it('has the value after the change, or that before it was removed', () => {
    expect(changedValue([update], row, column(6))).toBe('Bea')
    expect(changedValue([update, removal], row, column(6))).toBe('Cleo')
    expect(changedValue([removal], { ...row, rowId: 8 }, column(6))).toBe('Dan')
    expect(changedValue([update], row, column(9))).toBeUndefined()
    expect(changedValue([update], { ...row, rowId: 1 }, column(6))).toBeUndefined()
  })
})
