import type { Change, RowOperation } from '@sheaf/client'
import { labelKey } from '../api/resources'
import { changedLabels } from './changed-labels'

const update = {
  action: 'updateRows',
  tableId: 'People',
  tableRef: 1,
  rowIds: [2, 3],
  columns: { Name: { colRef: 5, new: ['Bob', 'Cleo'] } },
} as const satisfies RowOperation
const changeOf = (operation: RowOperation, truncated?: true) =>
  ({ seq: 9, operations: [operation], truncated }) as unknown as Change
const label = (columnId = 'Name', rowId = 2, tableId = 'People', asOf?: string) =>
  labelKey({ docId: 'a', tableId, columnId, asOf }, rowId)

describe('the labels that a change has made others', () => {
  it('are those of its cells', () => {
    const isChanged = changedLabels(changeOf(update))
    expect(isChanged(label())).toBe(true)
    expect(isChanged(label('Name', 4))).toBe(false)
    expect(isChanged(label('City'))).toBe(false)
    expect(isChanged(label('Name', 2, 'Places'))).toBe(false)
  })

  it('are all of rows that were added or removed', () => {
    for (const action of ['addRows', 'removeRows'] as const) {
      const isChanged = changedLabels(changeOf({ ...update, action, columns: {} }))
      expect([isChanged(label('City', 3)), isChanged(label('City', 4))]).toEqual([true, false])
    }
  })

  it('are all of the table if the change is too large to be listed', () => {
    const isChanged = changedLabels(changeOf({ ...update, rowIds: [], columns: {} }, true))
    expect([isChanged(label()), isChanged(label('Name', 2, 'Places'))]).toEqual([true, false])
  })

  it('are none of former moments, nor other queries', () => {
    const isChanged = changedLabels(changeOf(update))
    expect(isChanged(label('Name', 2, 'People', '7'))).toBe(false)
    expect(isChanged(['document', 'a', 'columns', 'People', {}])).toBe(false)
  })
})
