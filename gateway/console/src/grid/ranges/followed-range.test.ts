import type { GridApi } from 'ag-grid-community'
import type { Row } from '../../api/resources'
import { FollowedRange } from './followed-range'
import { RangeSelection } from './range-selection'

let displayed: (number | undefined)[]
let stale: Set<number>
let selection: RangeSelection
let range: FollowedRange

const rowAt = (index: number): Row | undefined => {
  const id = displayed[index]
  return id === undefined ? undefined : { id, fields: {} }
}

const api = {
  getDisplayedRowCount: () => displayed.length,
  getDisplayedRowAtIndex: (index: number) => ({ data: rowAt(index) }),
  forEachNode: (callback: (node: { data?: Row; rowIndex: number }) => void) =>
    displayed.forEach((_, rowIndex) => callback({ data: rowAt(rowIndex), rowIndex })),
} as unknown as GridApi<Row>

beforeEach(() => {
  displayed = [1, 2, 3, 4, 5]
  stale = new Set()
  selection = new RangeSelection()
  selection.set({ anchor: { row: 1, column: 0 }, head: { row: 2, column: 0 } })
  range = new FollowedRange({
    grid: { current: api },
    selection,
    isCurrent: (index) => !stale.has(index),
  })
})

/** Displays other rows. */
function show(...ids: (number | undefined)[]): void {
  range.before()
  displayed = ids
  range.after()
}

const rows = () => selection.read() && [selection.read()?.firstRow, selection.read()?.lastRow]

describe('a selected range', () => {
  it('goes with its rows', () => {
    show(9, 8, 1, 2, 3, 4, 5)
    expect(rows()).toEqual([3, 4])
    show(2, 3, 4)
    expect(rows()).toEqual([0, 1])
  })

  it.each([
    ['another row comes between its rows', [1, 2, 9, 3, 4, 5]],
    ['its first row is removed', [1, 3, 4, 5]],
    ['its last row is removed', [1, 2, 4, 5]],
    ['its last row, and that of the table, is removed', [1, 2]],
    ['its rows change places', [1, 3, 2, 4, 5]],
  ])('ends when %s', (_, ids) => {
    show(...ids)
    expect(rows()).toBeUndefined()
  })

  it('is unsettled, and then follows, when a part of its rows is displayed at its new place first', () => {
    stale = new Set([2, 3, 4, 5])
    show(9, 1, 3, 4, 5)
    expect([range.isUnsettled, rows()]).toEqual([true, [1, 2]])
    stale = new Set()
    show(9, 1, 2, 3, 4, 5)
    expect([range.isUnsettled, rows()]).toEqual([false, [2, 3]])
  })

  it('stays while its rows are not loaded', () => {
    show(undefined, undefined, undefined, undefined, undefined)
    selection.set({ anchor: { row: 1, column: 0 }, head: { row: 3, column: 0 } })
    show(1, 2, 3, 4, 5)
    expect(rows()).toEqual([1, 3])
  })

  it('is no longer unsettled when another one is selected', () => {
    stale = new Set([0])
    show(1, 4, 5)
    expect(range.isUnsettled).toBe(true)
    selection.set({ anchor: { row: 0, column: 0 }, head: { row: 1, column: 0 } })
    expect(range.isUnsettled).toBe(false)
    show(8, 1, 4, 5)
    expect(rows()).toEqual([1, 2])
  })
})
