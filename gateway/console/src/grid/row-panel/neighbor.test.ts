import { findNeighbor, type ViewRows } from './neighbor'

/** A view of rows by their ids; a header of a group has a negative one. */
function view(...ids: readonly number[]): ViewRows {
  const isGroup = (index: number) => (ids[index] ?? 0) < 0
  const nextRow = (index: number, step: 1 | -1): number => {
    const next = index + step
    return isGroup(next) ? nextRow(next, step) : next
  }
  const read: ViewRows['read'] = (first, count) =>
    Promise.resolve(ids.slice(first, first + count).map((id) => ({ id, fields: {} })))
  return { read, places: { isGroup, nextRow } }
}

describe('the neighbor of a row', () => {
  it('is the one after or before it in the view', async () => {
    const read = view(7, 3, 9, 1, 8)
    expect(await findNeighbor({ id: 9, index: 2 }, 1, read)).toEqual({ id: 1, index: 3 })
    expect(await findNeighbor({ id: 9, index: 2 }, -1, read)).toEqual({ id: 3, index: 1 })
  })

  it('is missing at the ends', async () => {
    const read = view(7, 3)
    expect(await findNeighbor({ id: 7, index: 0 }, -1, read)).toBeUndefined()
    expect(await findNeighbor({ id: 3, index: 1 }, 1, read)).toBeUndefined()
  })

  it('is beyond the headers of groups', async () => {
    const read = view(-1, 7, -2, -3, -4, -5, 3, -6)
    expect(await findNeighbor({ id: 7, index: 1 }, 1, read)).toEqual({ id: 3, index: 6 })
    expect(await findNeighbor({ id: 3, index: 6 }, -1, read)).toEqual({ id: 7, index: 1 })
    expect(await findNeighbor({ id: 7, index: 1 }, -1, read)).toBeUndefined()
    expect(await findNeighbor({ id: 3, index: 6 }, 1, read)).toBeUndefined()
  })

  it('follows a row that has moved by one', async () => {
    const read = view(7, 9, 3, 1)
    expect(await findNeighbor({ id: 9, index: 2 }, 1, read)).toEqual({ id: 3, index: 2 })
    expect(await findNeighbor({ id: 9, index: 0 }, -1, read)).toEqual({ id: 7, index: 0 })
  })

  it('is the one that took its place when the row is no longer in the view', async () => {
    const read = view(7, 3, 1, 8)
    expect(await findNeighbor({ id: 9, index: 2 }, 1, read)).toEqual({ id: 1, index: 2 })
    expect(await findNeighbor({ id: 9, index: 2 }, -1, read)).toEqual({ id: 3, index: 1 })
    expect(await findNeighbor({ id: 9, index: 0 }, -1, read)).toBeUndefined()
    expect(await findNeighbor({ id: 9, index: 4 }, 1, read)).toBeUndefined()
  })
})
