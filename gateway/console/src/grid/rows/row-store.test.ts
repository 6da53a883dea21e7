import { BLOCK_ROWS } from './row-blocks'
import { RowStore, type RowListener } from './row-store'
import type { PageRequest, RowsPage } from './rows-api'

/** A table whose cursors are positions. Records requests and aborted reads. */
class Table {
  readonly requests: PageRequest[] = []
  readonly aborted: number[] = []
  seq = 1
  isStuck = false

  constructor(public rows: number) {}

  readonly read = async (request: PageRequest, signal: AbortSignal): Promise<RowsPage> => {
    this.requests.push(request)
    const start = Number(request.cursor) + request.offset
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.aborted.push(start)
        reject(new Error('aborted'))
      })
      if (!this.isStuck) setTimeout(resolve, 0)
    })
    const end = Math.min(this.rows, start + request.limit)
    const ids = Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset + 1)
    return {
      rows: ids.map((id) => ({ id, fields: { Name: `row ${id}` } })),
      nextCursor: end < this.rows ? String(end) : null,
      total: request.isCounted ? this.rows : undefined,
      seq: this.seq,
    }
  }
}

/** Waits until a condition holds, limited by the timeout of the test. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const noListener: RowListener = { onRows() {}, onBlocks() {}, onTotal() {} }

describe('the rows of a grid', () => {
  let close = () => {}
  const open = (table: Table, listener = noListener) => {
    const store = new RowStore(table.read)
    close = store.open(listener)
    return store
  }
  afterEach(() => close())

  it('are prefetched, each block from the cursor of the previous one', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(450) !== undefined)
    store.setViewport(BLOCK_ROWS, BLOCK_ROWS + 30)
    await until(() => store.at(550) !== undefined)
    expect(store.readState()).toEqual({ total: 10_000, error: undefined })
    expect(table.requests.filter(({ isCounted }) => isCounted)).toHaveLength(1)
    expect(table.requests.at(-1)).toMatchObject({ cursor: '500', offset: 0 })
  })

  it('are read from the closest cursor after a jump', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(450) !== undefined)
    store.setViewport(9_980, 9_999)
    await until(() => store.at(9_999) !== undefined)
    expect(table.requests).toContainEqual(expect.objectContaining({ cursor: '500', offset: 9_400 }))
    expect(store.at(10_000)).toBeUndefined()
  })

  it('in id order are read after a jump without skipping many rows', async () => {
    const table = new Table(40_000)
    const store = new RowStore(table.read, true)
    close = store.open(noListener)
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
    expect(store.preview(29_900)).toMatchObject({ index: 24_950, row: { id: 24_951 } })
    store.setViewport(30_000, 30_030)
    await until(() => store.at(30_000)?.id === 30_001)
    expect(table.requests).toContainEqual(
      expect.objectContaining({ cursor: '30000', offset: 0, limit: BLOCK_ROWS }),
    )
  })

  it('are sampled again after sampling failed', async () => {
    const table = new Table(40_000)
    let failures = 1
    const store = new RowStore(async (request, signal) => {
      const page = await table.read(request, signal)
      if (request.limit !== BLOCK_ROWS && failures-- > 0) throw new Error('broken')
      return page
    }, true)
    close = store.open(noListener)
    await until(() => failures <= 0)
    store.setViewport(BLOCK_ROWS, 2 * BLOCK_ROWS)
    await until(() => store.at(650) !== undefined)
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
    expect(store.preview(0)).toMatchObject({ index: 0, row: { id: 1 } })
  })

  it('are not sampled repeatedly while they change all the time', async () => {
    const table = new Table(40_000)
    let renewed = 0
    const store = new RowStore(table.read, true)
    close = store.open({ ...noListener, onBlocks: () => renewed++ })
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
    const begun = performance.now()
    const isFirst = ({ cursor, offset, limit }: PageRequest) =>
      limit < BLOCK_ROWS && Number(cursor) + offset === 4_950
    const before = table.requests.filter(isFirst).length
    for (let change = 0; change < 20; change++) {
      const known = renewed
      store.markStale()
      await store.refresh()
      await until(() => renewed > known)
    }
    const most = 1 + Math.ceil((performance.now() - begun) / 250)
    expect(table.requests.filter(isFirst).length - before).toBeLessThanOrEqual(most)
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
  })

  it('are no longer requested when they leave the viewport', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(450) !== undefined)
    table.isStuck = true
    store.setViewport(5_000, 5_030)
    await until(() => table.requests.some(({ offset }) => offset === 4_500))
    table.isStuck = false
    store.setViewport(8_000, 8_030)
    expect(table.aborted).toContain(5_000)
    await until(() => store.at(8_000) !== undefined)
    expect(store.at(5_000)).toBeUndefined()
  })

  it('are bounded in memory, independent of the scroll distance', async () => {
    const table = new Table(100_000)
    const store = open(table)
    for (let block = 0; block < 150; block++) {
      store.setViewport(block * BLOCK_ROWS, block * BLOCK_ROWS + 30)
      await until(() => store.at(block * BLOCK_ROWS) !== undefined)
    }
    expect(store.at(0)).toBeUndefined()
    expect(store.at(14_900)?.id).toBe(14_901)
  })

  it('are updated by a change, including pages read before it that arrive after it', async () => {
    const table = new Table(300)
    const changed: unknown[] = []
    const store = open(table, { ...noListener, onRows: (rows) => changed.push(...rows) })
    store.remember({ seq: 2, rowIds: [7, 999], columns: { Name: ['new', 'x'], other: [1, 2] } })
    await until(() => store.at(6) !== undefined)
    expect(store.at(6)?.fields).toEqual({ Name: 'new' })
    store.apply({ seq: 3, rowIds: [8], columns: { Name: ['newer'] } })
    expect(changed).toEqual([{ index: 7, row: { id: 8, fields: { Name: 'newer' } } }])
    store.apply({ seq: 4, rowIds: [8], columns: { Name: ['newer'] } })
    expect(changed).toHaveLength(1)
  })

  it('are refreshed after rows were added, and shown until then', async () => {
    const table = new Table(150)
    const totals: number[] = []
    let renewed = 0
    const store = open(table, {
      ...noListener,
      onTotal: (total) => totals.push(total),
      onBlocks: () => renewed++,
    })
    await until(() => store.at(149) !== undefined)
    table.rows = 151
    store.scheduleRefresh(false)
    expect(store.at(0)?.id).toBe(1)
    await until(() => store.at(150) !== undefined)
    expect([totals, renewed]).toEqual([[150, 151], 2])
  })

  it('are requested again after an error', async () => {
    const table = new Table(10)
    let fails = true
    const store = new RowStore((request, signal) =>
      fails ? Promise.reject(new Error('broken')) : table.read(request, signal),
    )
    close = store.open(noListener)
    await until(() => store.readState().error !== undefined)
    fails = false
    store.retry()
    await until(() => store.at(9) !== undefined)
    expect(store.readState()).toEqual({ total: 10, error: undefined })
  })
})
