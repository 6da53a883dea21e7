import fc from 'fast-check'
import { blockOf, cellCount, contains, extend, wholeGrid, type CellRange } from './cell-range'

const size = { rows: 10, columns: 4 }
const from = (row: number, column: number): CellRange => ({
  anchor: { row: 3, column: 2 },
  head: { row, column },
})
const place = fc.record({ row: fc.nat(9), column: fc.nat(3) })

describe('a range of cells', () => {
  it.each([
    ['ArrowDown', false, from(3, 2), { row: 4, column: 2 }],
    ['ArrowUp', false, from(0, 2), { row: 0, column: 2 }],
    ['ArrowLeft', false, from(5, 1), { row: 5, column: 0 }],
    ['ArrowRight', false, from(5, 3), { row: 5, column: 3 }],
    ['ArrowDown', true, from(3, 2), { row: 9, column: 2 }],
    ['ArrowUp', true, from(3, 2), { row: 0, column: 2 }],
    ['ArrowRight', true, from(7, 0), { row: 7, column: 3 }],
    ['ArrowLeft', true, from(7, 3), { row: 7, column: 0 }],
    ['Home', false, from(7, 3), { row: 7, column: 0 }],
    ['End', false, from(7, 1), { row: 7, column: 3 }],
    ['Home', true, from(7, 3), { row: 0, column: 0 }],
    ['End', true, from(7, 1), { row: 9, column: 3 }],
  ])('is extended by %s, to the edge: %s', (key, toEdge, range, head) => {
    expect(extend(range, { key, toEdge }, size)).toEqual({ anchor: range.anchor, head })
  })

  it('is not extended by other keys', () => {
    expect(extend(from(3, 2), { key: 'Enter', toEdge: false }, size)).toBeUndefined()
  })

  it('has the cells between its ends and no others, whatever its direction', () => {
    fc.assert(
      fc.property(place, place, (anchor, head) => {
        const block = blockOf({ anchor, head })
        expect(block).toEqual(blockOf({ anchor: head, head: anchor }))
        const cells = Array.from({ length: 40 }, (_, at) => ({ row: at >> 2, column: at & 3 }))
        const inside = cells.filter((cell) => contains(block, cell))
        expect(inside).toHaveLength(cellCount(block))
        expect(inside).toEqual(expect.arrayContaining([anchor, head]))
      }),
    )
  })

  it('can be the whole grid, unless that is empty', () => {
    const all = wholeGrid(size)
    expect(all && cellCount(blockOf(all))).toBe(40)
    expect(wholeGrid({ rows: 0, columns: 4 })).toBeUndefined()
  })
})
