import type { PageRequest } from '../rows/rows-api'
import { readRange } from './range-rows'

const rowOf = (index: number) => ({ id: index + 1, fields: {} })
const columns = { firstColumn: 0, lastColumn: 1 }
const signal = new AbortController().signal

function createTable(count: number) {
  const requests: PageRequest[] = []
  return {
    requests,
    readPage: (request: PageRequest) => {
      requests.push(request)
      const start = Number(request.cursor || 0) + request.offset
      const end = Math.min(count, start + request.limit)
      const rows = Array.from({ length: Math.max(0, end - start) }, (_, at) => rowOf(start + at))
      return Promise.resolve({ rows, nextCursor: end < count ? String(end) : null, seq: 1 })
    },
  }
}

describe('the rows of a range', () => {
  it('are those that are shown, without a request', async () => {
    const { requests, readPage } = createTable(100)
    const source = { at: (index: number) => ({ ...rowOf(index), fields: { A: 1 } }), readPage }
    const rows = await readRange({ firstRow: 3, lastRow: 4, ...columns }, source, signal)
    expect(rows).toEqual([
      { id: 4, fields: { A: 1 } },
      { id: 5, fields: { A: 1 } },
    ])
    expect(requests).toEqual([])
  })

  it('are read by pages if one of them is not shown', async () => {
    const { requests, readPage } = createTable(2_000)
    const at = (index: number) => (index === 700 ? undefined : rowOf(index))
    const block = { firstRow: 100, lastRow: 1_299, ...columns }
    const rows = await readRange(block, { at, readPage }, signal)
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 1_200 }, (_, at) => 101 + at))
    expect(requests.map(({ offset, limit }) => [offset, limit])).toEqual([
      [100, 500],
      [0, 500],
      [0, 200],
    ])
  })

  it('end with the table', async () => {
    const { readPage } = createTable(10)
    const source = { at: () => undefined, readPage }
    const rows = await readRange({ firstRow: 8, lastRow: 900, ...columns }, source, signal)
    expect(rows.map(({ id }) => id)).toEqual([9, 10])
  })
})
