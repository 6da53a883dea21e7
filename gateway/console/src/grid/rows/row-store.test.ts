import { isPassing } from '../../api/passing-error'
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

  it('are read by one request, until the grid is scrolled', async () => {
    const table = new Table(1_000_000)
    const store = open(table)
    store.setViewport(0, -1)
    store.setViewport(0, 25)
    await until(() => store.at(99) !== undefined)
    expect(table.requests).toEqual([{ cursor: '', offset: 0, limit: BLOCK_ROWS, isCounted: true }])
    expect([table.aborted, store.readState().total]).toEqual([[], 1_000_000])
  })

  it('are prefetched, each block from the cursor of the previous one', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(50) !== undefined)
    store.setViewport(50, 80)
    await until(() => store.at(450) !== undefined)
    store.setViewport(BLOCK_ROWS, BLOCK_ROWS + 30)
    await until(() => store.at(550) !== undefined)
    expect(store.readState()).toEqual({ total: 10_000, rows: 10_000, error: undefined })
    expect(table.requests.filter(({ isCounted }) => isCounted)).toHaveLength(1)
    expect(table.requests.at(-1)).toMatchObject({ cursor: '500', offset: 0 })
  })

  it('are read from the closest cursor after a jump, and the next ones from theirs', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(50) !== undefined)
    expect(store.preview(5_005)).toMatchObject({ index: 5, row: { id: 6 } })
    store.setViewport(5_010, 5_040)
    await until(() => store.at(5_450) !== undefined)
    const [, jump, ...next] = table.requests
    expect(jump).toMatchObject({ cursor: '100', offset: 4_900 })
    for (const { offset } of next.filter(({ cursor }) => cursor !== '100'))
      expect(offset).toBeLessThan(4 * BLOCK_ROWS)
    store.setViewport(9_980, 9_999)
    await until(() => store.at(9_999) !== undefined)
    expect(store.at(10_000)).toBeUndefined()
  })

  it('are no longer requested when they leave the viewport', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(50) !== undefined)
    table.isStuck = true
    store.setViewport(5_000, 5_030)
    await until(() => table.requests.some(({ offset }) => offset === 4_900))
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
    store.apply({ seq: 2, rowIds: [7, 999], columns: { Name: ['new', 'x'], other: [1, 2] } })
    await until(() => store.at(6) !== undefined)
    expect(store.at(6)?.fields).toEqual({ Name: 'new' })
    store.apply({ seq: 3, rowIds: [8], columns: { Name: ['newer'] } })
    expect(changed).toEqual([{ index: 7, row: { id: 8, fields: { Name: 'newer' } } }])
    store.apply({ seq: 4, rowIds: [8], columns: { Name: ['newer'] } })
    expect(changed).toHaveLength(1)
  })

  it('show entered values in place of stored ones, also those that arrive later', async () => {
    const table = new Table(300)
    const entered = new Map([[7, 'mine']])
    const changed: unknown[] = []
    const store = new RowStore(table.read, (row) =>
      entered.has(row.id) ? { id: row.id, fields: { Name: entered.get(row.id) } } : row,
    )
    close = store.open({ ...noListener, onRows: (rows) => changed.push(...rows) })
    const found = new Promise<unknown>((resolve) =>
      store.request(0, { onFound: (rows) => resolve(rows[6]?.fields.Name), onDropped() {} }),
    )
    expect([await found, store.at(6)?.fields.Name]).toEqual(['mine', 'mine'])
    expect(store.find(7)?.fields.Name).toBe('row 7')
    store.apply({ seq: 2, rowIds: [7], columns: { Name: ['theirs'] } })
    store.redraw([7])
    entered.delete(7)
    store.redraw([7])
    const shown = ['mine', 'mine', 'theirs']
    expect(changed).toEqual(shown.map((Name) => ({ index: 6, row: { id: 7, fields: { Name } } })))
  })

  it('do not go back to an older value when a change arrives after the row was read', async () => {
    const table = new Table(300)
    const store = open(table)
    await until(() => store.at(6) !== undefined)
    store.replace([{ id: 7, fields: { Name: 'two' } }], 5)
    store.apply({ seq: 4, rowIds: [7, 8], columns: { Name: ['one', 'other'] } })
    expect([store.at(6)?.fields.Name, store.at(7)?.fields.Name]).toEqual(['two', 'other'])
    store.apply({ seq: 6, rowIds: [7], columns: { Name: ['three'] } })
    expect(store.at(6)?.fields.Name).toBe('three')
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
    await until(() => store.at(50) !== undefined)
    store.setViewport(90, 120)
    await until(() => store.at(149) !== undefined)
    table.rows = 151
    store.scheduleRefresh(false)
    expect(store.at(0)?.id).toBe(1)
    await until(() => store.at(150) !== undefined)
    expect([totals, renewed]).toEqual([[150, 151], 2])
  })

  it('stay when later ones cannot be read, with the error until some can', async () => {
    const table = new Table(10_000)
    let fails = false
    const store = new RowStore((request, signal) =>
      fails ? Promise.reject(new Error('broken')) : table.read(request, signal),
    )
    close = store.open(noListener)
    await until(() => store.at(50) !== undefined)
    fails = true
    store.setViewport(5_000, 5_030)
    await until(() => store.readState().error !== undefined)
    store.retry()
    expect([isPassing(store.readState().error), store.at(50)?.id]).toEqual([true, 51])
    fails = false
    store.retry()
    await until(() => store.at(5_000) !== undefined)
    expect(store.readState().error).toBeUndefined()
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
    expect(store.readState()).toEqual({ total: 10, rows: 10, error: undefined })
  })

  describe('whose count cannot be read', () => {
    let failure: Error | undefined
    let table: Table
    let store: RowStore
    beforeEach(async () => {
      table = new Table(10_000)
      failure = undefined
      store = new RowStore((request, signal) =>
        failure ? Promise.reject(failure) : table.read(request, signal),
      )
      close = store.open(noListener)
      await until(() => store.at(50) !== undefined)
      failure = Object.assign(new Error('away'), { status: 503 })
      table.rows++
      await store.refresh()
      expect(store.readState().error).toBe(failure)
      failure = undefined
    })

    it('have no error once it can', async () => {
      await store.refresh()
      expect(store.readState()).toEqual({ total: 10_001, rows: 10_001, error: undefined })
      store.setViewport(5_000, 5_030)
      await until(() => store.at(5_000) !== undefined)
    })

    it('are counted again by a retry, though none of those in view are missing', async () => {
      const before = table.requests.length
      store.retry()
      await until(() => store.readState().error === undefined)
      expect(table.requests.slice(before)).toMatchObject([{ limit: 1, isCounted: true }])
      expect(store.readState().total).toBe(10_001)
    })
  })
})
