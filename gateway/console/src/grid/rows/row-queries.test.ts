import { QueryClient } from '@tanstack/react-query'
import { readFirst, firstRowsQuery } from './row-queries'
import { BLOCK_ROWS } from './row-blocks'
import type { RowsPage } from './rows-api'

const first = { cursor: '', offset: 0, limit: BLOCK_ROWS, isCounted: true }
const { signal } = new AbortController()
const pageAt = (seq: number): RowsPage => ({ rows: [], nextCursor: null, total: 0, seq })

/** Reads a page of a table whose first rows may have been read before, at a position of the log. */
async function readWith(
  { early, received }: { early?: number; received: number },
  request = first,
): Promise<number> {
  const client = new QueryClient()
  const { queryKey } = firstRowsQuery('a', 'People')
  if (early !== undefined) client.setQueryData(queryKey, pageAt(early))
  const position = () => received
  const read = readFirst({ client, docId: 'a', tableId: 'People', position }, () =>
    Promise.resolve(pageAt(99)),
  )
  return (await read(request, signal)).seq
}

describe('the first page of rows', () => {
  it('is the one that was requested early', async () => {
    expect(await readWith({ early: 7, received: 7 })).toBe(7)
    expect(await readWith({ early: 7, received: 5 })).toBe(7)
  })

  it('is read again when a later change was received', async () => {
    expect(await readWith({ early: 7, received: 8 })).toBe(99)
  })

  it('is read again when it is not known which changes were received', async () => {
    expect(await readWith({ early: 7, received: 0 })).toBe(99)
  })

  it('is read again when the grid is opened again', async () => {
    const client = new QueryClient()
    client.setQueryData(firstRowsQuery('a', 'People').queryKey, pageAt(7))
    const parts = { client, docId: 'a', tableId: 'People', position: () => 7 }
    const open = () => readFirst(parts, () => Promise.resolve(pageAt(99)))(first, signal)
    expect([(await open()).seq, (await open()).seq]).toEqual([7, 99])
  })

  it('is read when none was requested early', async () => {
    expect(await readWith({ received: 7 })).toBe(99)
  })

  it('is not what further pages, and later counts, are read from', async () => {
    const later = [
      { ...first, isCounted: false },
      { ...first, limit: 1 },
      { ...first, offset: BLOCK_ROWS },
    ]
    for (const request of later) expect(await readWith({ early: 7, received: 7 }, request)).toBe(99)
  })
})
