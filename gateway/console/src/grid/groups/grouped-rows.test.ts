import type { Groups } from '@sheaf/client'
import type { PageRequest, ReadPage } from '../rows/rows-api'
import { CollapsedGroups } from './collapsed-groups'
import { isGroupRow } from './group-row'
import { GroupedRows } from './grouped-rows'
import { LiveGroups } from './live-groups'

const { signal } = new AbortController()

/** A table whose cursors are positions, with a group of each of these sizes. */
class Table {
  readonly requests: PageRequest[] = []

  constructor(public sizes: readonly number[]) {}

  get rows(): number {
    return this.sizes.reduce((sum, size) => sum + size, 0)
  }

  readonly readGroups = (): Promise<Groups> =>
    Promise.resolve({
      groups: this.sizes.map((count, value) => ({ value, count, aggregates: {} })),
      truncated: false,
      total: { count: this.rows, aggregates: {} },
    })

  readonly readPage: ReadPage = (request) => {
    this.requests.push(request)
    const start = Number(request.cursor) + request.offset
    const end = Math.min(this.rows, start + request.limit)
    const rows = Array.from({ length: Math.max(0, end - start) }, (_, at) => ({
      id: start + at + 1,
      fields: {},
    }))
    const nextCursor = end < this.rows ? String(end) : null
    return Promise.resolve({ rows, nextCursor, seq: 7 })
  }
}

function setUp(...sizes: readonly number[]) {
  const table = new Table(sizes)
  const groups = new LiveGroups()
  groups.use(table.readGroups)
  const grouped = new GroupedRows({ groups, collapsed: new CollapsedGroups() })
  grouped.over(table.readPage)
  const read = async (offset: number, limit: number, isCounted = false, cursor = '') => {
    const page = await grouped.readPage({ cursor, offset, limit, isCounted }, signal)
    const lines = page.rows.map((row) => (isGroupRow(row) ? row.header.key : row.id))
    return { ...page, lines }
  }
  return { table, groups, grouped, read }
}

describe('the pages of grouped rows', () => {
  it('have the headers of groups before their rows', async () => {
    const { read, grouped } = setUp(2, 1, 3)
    expect(await read(0, 4, true)).toMatchObject({
      lines: ['[0]', 1, 2, '[1]'],
      nextCursor: '4',
      total: 9,
      seq: 7,
    })
    expect(await read(0, 4, false, '4')).toMatchObject({ lines: [3, '[2]', 4, 5] })
    expect(await read(8, 4)).toMatchObject({ lines: [6], nextCursor: null })
    const { numberOf, countRows, isGroup } = grouped.places
    expect([numberOf(2), numberOf(4), numberOf(8)]).toEqual([2, 3, 6])
    expect([countRows(9), isGroup(3), isGroup(4)]).toEqual([6, true, false])
  })

  it('read rows of adjacent groups at once, and others on their own', async () => {
    const { table, grouped, read } = setUp(10, 1_000, 10)
    await read(0, 30)
    expect(table.requests).toMatchObject([{ offset: 0, limit: 28 }])
    grouped.toggle('[1]')
    table.requests.length = 0
    const { lines } = await read(0, 30)
    expect(lines.slice(9, 14)).toEqual([9, 10, '[1]', '[2]', 1_011])
    expect(table.requests.map(({ offset, limit }) => [offset, limit])).toEqual([
      [0, 10],
      [982, 10],
    ])
  })

  it('change their size when groups are collapsed, all at once as well, or grow', async () => {
    const { table, groups, grouped, read } = setUp(2, 3)
    const sizes: number[] = []
    const close = grouped.open((size) => sizes.push(size))
    await read(0, 1, true)
    grouped.setAll(true)
    grouped.toggle('[1]')
    table.sizes = [2, 4]
    await groups.load(signal)
    await groups.load(signal)
    expect(sizes).toEqual([2, 5, 6])
    table.sizes = [2, 4, 1]
    expect((await read(0, 10, true)).lines).toEqual(['[0]', '[1]', 3, 4, 5, 6, '[2]'])
    close()
    grouped.setAll(false)
    expect(sizes).toEqual([2, 5, 6, 7])
  })

  it('end where rows have been removed since the groups were counted', async () => {
    const { table, read } = setUp(3, 2)
    await read(0, 1, true)
    table.sizes = [2, 0]
    expect(await read(0, 10)).toMatchObject({ lines: ['[0]', 1, 2], nextCursor: '3' })
  })
})
