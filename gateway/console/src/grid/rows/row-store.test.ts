import { BLOCK_ROWS } from './row-blocks'
import { RowStore, type RowListener } from './row-store'
import type { PageRequest, RowsPage } from './rows-api'

/** A table of so many rows whose cursors are positions; what was asked of it, and what was given up. */
class Table {
  readonly asked: PageRequest[] = []
  readonly stopped: number[] = []
  seq = 1
  isStuck = false

  constructor(public rows: number) {}

  readonly read = async (asked: PageRequest, signal: AbortSignal): Promise<RowsPage> => {
    this.asked.push(asked)
    const start = Number(asked.cursor) + asked.offset
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.stopped.push(start)
        reject(new Error('aborted'))
      })
      if (!this.isStuck) setTimeout(resolve, 0)
    })
    const end = Math.min(this.rows, start + asked.limit)
    const ids = Array.from({ length: Math.max(0, end - start) }, (_, place) => start + place + 1)
    return {
      rows: ids.map((id) => ({ id, fields: { Name: `row ${id}` } })),
      nextCursor: end < this.rows ? String(end) : null,
      total: asked.isCounted ? this.rows : undefined,
      seq: this.seq,
    }
  }
}

/** Lets timers and answers come until this holds; for as long as a test may take. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const deaf: RowListener = { onRows() {}, onBlocks() {}, onTotal() {} }

describe('the rows of a grid', () => {
  let close = () => {}
  const open = (table: Table, listener = deaf) => {
    const store = new RowStore(table.read)
    close = store.open(listener)
    return store
  }
  afterEach(() => close())

  it('are read ahead, each block after the cursor of the one before', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(450) !== undefined)
    store.setViewport(BLOCK_ROWS, BLOCK_ROWS + 30)
    await until(() => store.at(550) !== undefined)
    expect(store.readState()).toEqual({ total: 10_000, error: undefined })
    expect(table.asked.filter(({ isCounted }) => isCounted)).toHaveLength(1)
    expect(table.asked.at(-1)).toMatchObject({ cursor: '500', offset: 0 })
  })

  it('are counted from the closest cursor after a jump', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(450) !== undefined)
    store.setViewport(9_980, 9_999)
    await until(() => store.at(9_999) !== undefined)
    expect(table.asked).toContainEqual(expect.objectContaining({ cursor: '500', offset: 9_400 }))
    expect(store.at(10_000)).toBeUndefined()
  })

  it('in the order of their ids are found after a jump without passing over many', async () => {
    const table = new Table(40_000)
    const store = new RowStore(table.read, true)
    close = store.open(deaf)
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
    expect(store.preview(29_900)).toMatchObject({ index: 24_950, row: { id: 24_951 } })
    store.setViewport(30_000, 30_030)
    await until(() => store.at(30_000)?.id === 30_001)
    expect(table.asked).toContainEqual(
      expect.objectContaining({ cursor: '30000', offset: 0, limit: BLOCK_ROWS }),
    )
  })

  it('that a jump needs are looked up again after that broke off', async () => {
    const table = new Table(40_000)
    let failures = 1
    const store = new RowStore(async (asked, signal) => {
      const page = await table.read(asked, signal)
      if (asked.limit !== BLOCK_ROWS && failures-- > 0) throw new Error('broken')
      return page
    }, true)
    close = store.open(deaf)
    await until(() => failures <= 0)
    store.setViewport(BLOCK_ROWS, 2 * BLOCK_ROWS)
    await until(() => store.at(650) !== undefined)
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
    expect(store.preview(0)).toMatchObject({ index: 0, row: { id: 1 } })
  })

  it('that come and go all the time are not looked up over and over', async () => {
    const table = new Table(40_000)
    let renewed = 0
    const store = new RowStore(table.read, true)
    close = store.open({ ...deaf, onBlocks: () => renewed++ })
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
    const begun = performance.now()
    const isFirst = ({ cursor, offset, limit }: PageRequest) =>
      limit < BLOCK_ROWS && Number(cursor) + offset === 4_950
    const before = table.asked.filter(isFirst).length
    for (let change = 0; change < 20; change++) {
      const known = renewed
      store.markStale()
      await store.refresh()
      await until(() => renewed > known)
    }
    const most = 1 + Math.ceil((performance.now() - begun) / 250)
    expect(table.asked.filter(isFirst).length - before).toBeLessThanOrEqual(most)
    await until(() => store.preview(39_999)?.index === 35_000 - 1)
  })

  it('are not waited for where nobody looks any more', async () => {
    const table = new Table(10_000)
    const store = open(table)
    await until(() => store.at(450) !== undefined)
    table.isStuck = true
    store.setViewport(5_000, 5_030)
    await until(() => table.asked.some(({ offset }) => offset === 4_500))
    table.isStuck = false
    store.setViewport(8_000, 8_030)
    expect(table.stopped).toContain(5_000)
    await until(() => store.at(8_000) !== undefined)
    expect(store.at(5_000)).toBeUndefined()
  })

  it('stay few in memory, however far one scrolls', async () => {
    const table = new Table(100_000)
    const store = open(table)
    for (let block = 0; block < 150; block++) {
      store.setViewport(block * BLOCK_ROWS, block * BLOCK_ROWS + 30)
      await until(() => store.at(block * BLOCK_ROWS) !== undefined)
    }
    expect(store.at(0)).toBeUndefined()
    expect(store.at(14_900)?.id).toBe(14_901)
  })

  it('become what a change tells, also when they were read before it and come after it', async () => {
    const table = new Table(300)
    const changed: unknown[] = []
    const store = open(table, { ...deaf, onRows: (rows) => changed.push(...rows) })
    store.remember({ seq: 2, rowIds: [7, 999], columns: { Name: ['new', 'x'], other: [1, 2] } })
    await until(() => store.at(6) !== undefined)
    expect(store.at(6)?.fields).toEqual({ Name: 'new' })
    store.apply({ seq: 3, rowIds: [8], columns: { Name: ['newer'] } })
    expect(changed).toEqual([{ index: 7, row: { id: 8, fields: { Name: 'newer' } } }])
    store.apply({ seq: 4, rowIds: [8], columns: { Name: ['newer'] } })
    expect(changed).toHaveLength(1)
  })

  it('are read anew when some were added, and shown until then', async () => {
    const table = new Table(150)
    const totals: number[] = []
    let renewed = 0
    const store = open(table, {
      ...deaf,
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

  it('are tried again after an error', async () => {
    const table = new Table(10)
    let fails = true
    const store = new RowStore((asked, signal) =>
      fails ? Promise.reject(new Error('broken')) : table.read(asked, signal),
    )
    close = store.open(deaf)
    await until(() => store.readState().error !== undefined)
    fails = false
    store.retry()
    await until(() => store.at(9) !== undefined)
    expect(store.readState()).toEqual({ total: 10, error: undefined })
  })
})
