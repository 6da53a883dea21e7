import {
  fitColumns,
  frozenWithin,
  moveBy,
  plainArrangement,
  shownIds,
  withFrozen,
  withHidden,
  withOrder,
  withoutHidden,
  withRowHeight,
  withWidth,
  withWrap,
} from './arrangement'

const plain = plainArrangement(['A', 'B', 'C', 'D'])
const idsOf = ({ columns }: typeof plain) => columns.map(({ id }) => id).join('')

describe('the order of columns', () => {
  it('is that of the table at first', () => {
    expect(idsOf(plain)).toBe('ABCD')
  })

  it('changes for shown columns, and hidden ones keep their places', () => {
    const hidden = withHidden(plain, 'B', true)
    expect(idsOf(withOrder(hidden, ['D', 'A', 'C']))).toBe('DBAC')
    expect(idsOf(moveBy(hidden, 'A', 1))).toBe('CBAD')
    expect(idsOf(moveBy(hidden, 'A', -1))).toBe('ABCD')
    expect(idsOf(moveBy(hidden, 'D', 1))).toBe('ABCD')
  })

  it('has new columns behind the one before them, and at the end where they are the last', () => {
    const moved = withOrder(plain, ['D', 'C', 'B', 'A'])
    expect(idsOf(fitColumns(moved, ['A', 'new', 'B', 'C', 'D', 'x', 'y']))).toBe('DCBAnewxy')
    expect(idsOf(fitColumns(moved, ['first', 'A', 'B', 'C', 'D']))).toBe('firstDCBA')
  })

  it('omits columns that are gone', () => {
    const frozen = withFrozen(plain, 4)
    expect(fitColumns(frozen, ['A', 'C'])).toMatchObject({
      columns: [{ id: 'A' }, { id: 'C' }],
      frozenColumns: 2,
    })
  })
})

describe('hidden columns', () => {
  it('are not shown until all are', () => {
    const hidden = withHidden(withHidden(plain, 'A', true), 'C', true)
    expect(shownIds(hidden)).toEqual(['B', 'D'])
    expect(shownIds(withoutHidden(hidden))).toEqual(['A', 'B', 'C', 'D'])
  })

  it('are never all: the last shown one stays, also when the others are deleted', () => {
    const one = ['A', 'B', 'C', 'D'].reduce((all, id) => withHidden(all, id, true), plain)
    expect(shownIds(one)).toEqual(['D'])
    expect(shownIds(fitColumns(one, ['A', 'B']))).toEqual(['A'])
  })

  it('leave those frozen that are left, and join them between them', () => {
    const frozen = withFrozen(plain, 3)
    const hidden = withHidden(frozen, 'B', true)
    expect(hidden.frozenColumns).toBe(2)
    expect(withHidden(hidden, 'B', false).frozenColumns).toBe(3)
    expect(withHidden(frozen, 'D', true).frozenColumns).toBe(3)
  })
})

it('widths are whole pixels within limits', () => {
  expect(withWidth(plain, 'B', 100.4).columns[1]).toEqual({ id: 'B', width: 100 })
  expect(withWidth(plain, 'B', 1).columns[1]?.width).toBe(72)
  expect(withWidth(plain, 'B', 9_999).columns[1]?.width).toBe(2_000)
})

it('text wraps in rows of several lines only', () => {
  const wrapped = withWrap(plain, true)
  expect(wrapped).toMatchObject({ wrapText: true, rowHeight: 'medium' })
  expect(withRowHeight(wrapped, 'tall')).toMatchObject({ wrapText: true, rowHeight: 'tall' })
  expect(withRowHeight(wrapped, 'short')).toMatchObject({ wrapText: false, rowHeight: 'short' })
  expect(withWrap(wrapped, false)).toMatchObject({ wrapText: false, rowHeight: 'medium' })
})

it('columns are frozen as far as they fit', () => {
  expect(frozenWithin([100, 100, 100], 300)).toBe(3)
  expect(frozenWithin([100, 100, 100], 250)).toBe(2)
  expect(frozenWithin([100], 50)).toBe(0)
  expect(frozenWithin([], 50)).toBe(0)
})
