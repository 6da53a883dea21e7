import fc from 'fast-check'
import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { ReadRecordsRequest, type RecordsView } from '@sheaf/protos/sheaf/document_data/v1/records'
import { buildWorkers } from '../support/test-store'
import { TestInstance, type ReadRow } from '../support/test-instance'

interface Page {
  records: ReadRow[]
  nextCursor?: string | null
  totalCount?: number
  /** As told before the rows. */
  told?: string
}

let instance: TestInstance
let docId = ''

beforeAll(async () => {
  buildWorkers()
  instance = await TestInstance.start()
  docId = await instance.clients.createDocument()
})
afterAll(async () => {
  await instance[Symbol.asyncDispose]()
})

type Asked = Partial<Omit<ReadRecordsRequest, 'view' | 'filterJson'>> & {
  filter?: object
  view?: Partial<RecordsView>
}

async function readPage(tableId: string, { filter, view, ...asked }: Asked): Promise<Page> {
  const { clients } = instance
  const request = ReadRecordsRequest.fromPartial({
    docId,
    tableId,
    filterJson: Buffer.from(filter ? JSON.stringify(filter) : ''),
    view: view ?? undefined,
    ...asked,
  })
  const chunks: Buffer[] = []
  let told: string | undefined
  const call = await clients.as(request.docId, 'viewers')
  for await (const { chunk, nextCursor } of clients.records.readRecords(request, call)) {
    chunks.push(chunk)
    told ??= nextCursor
  }
  return { ...(JSON.parse(Buffer.concat(chunks).toString()) as Page), told }
}

/** All rows, page by page. */
async function readPages(tableId: string, asked: Asked): Promise<ReadRow[]> {
  const rows: ReadRow[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Page = await readPage(tableId, { ...asked, view: { ...asked.view, cursor } })
    expect(page.records.length).toBeLessThanOrEqual(asked.limit ?? 0)
    expect(page.told ?? null).toBe(page.nextCursor)
    // Only the page of an empty answer has no rows.
    if (page.records.length === 0) expect([rows, page.nextCursor]).toEqual([[], null])
    rows.push(...page.records)
    cursor = page.nextCursor ?? null
  }
  return rows
}

const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'ä', 'b10', 'b9', '1'),
  fc.string({ maxLength: 3 }),
)
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 1.5, 1e300, -0.1),
  fc.integer({ min: -9, max: 9 }),
)
const row = fc.record({
  T: fc.oneof(text, fc.constant(null)),
  N: fc.oneof(number, text, fc.constant(null)),
  A: fc.oneof(number, text, fc.boolean(), fc.constant(null), fc.constant(['L', 'x', 1])),
  L: fc.oneof(fc.constant(['L', 'x']), fc.constant(['L', 'x', 'y']), fc.constant(null), text),
  manualSort: fc.oneof(fc.constant(null), number),
})
const key = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom('T', 'N', 'A', 'L', 'manualSort', 'id'),
    fc.constantFrom('', ':naturalSort', ':emptyLast', ':emptyLast;naturalSort'),
  )
  .map((parts) => parts.join(''))
const filter = fc.constantFrom(
  undefined,
  { N: { gte: 0 } },
  { T: { ne: 'a' } },
  { T: ['a', 'A', ''] },
  { or: [{ A: { isNull: true } }, { L: { has: 'x' } }] },
)

describe('pages by cursor', () => {
  it('hold exactly the rows of the unpaged answer, once each and in its order', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          rows: fc.array(row, { minLength: 1, maxLength: 30 }),
          sort: fc.array(key, { maxLength: 3 }),
          limit: fc.integer({ min: 1, max: 12 }),
          filter,
        }),
        async ({ rows, sort, limit, filter: wanted }) => {
          const { clients } = instance
          const types = { T: 'Text', N: 'Numeric', A: 'Any', L: 'ChoiceList' }
          const tableId = await clients.addTable(docId, `Random${count++}`, types)
          await clients.add(docId, tableId, rows, true)
          const whole = await readPage(tableId, { sort, filter: wanted })
          expect(await readPages(tableId, { sort, filter: wanted, limit })).toEqual(whole.records)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('sort by choice as well', async () => {
    const { clients } = instance
    const call = await clients.as(docId, 'editors')
    const widgetOptions = JSON.stringify({ choices: ['z', 'x', 'y'] })
    const columns = [{ id: 'C', fields: { type: 'Choice', widgetOptions } }] as never
    await clients.tables.addTables({ docId, tables: [{ id: 'Choices', columns }] }, call)
    const rows = ['x', 'other', null, 'z', '', 'y', 'z', 'x'].map((C) => ({ C }))
    await clients.add(docId, 'Choices', rows)
    for (const sort of [['C:orderByChoice'], ['-C:orderByChoice;emptyLast']]) {
      const whole = await readPage('Choices', { sort })
      expect(await readPages('Choices', { sort, limit: 1 })).toEqual(whole.records)
    }
  })

  it.each([[['T']], [['-T', 'N']], [[]], [['-id']]])(
    'miss no row and repeat none while rows come and go: sorted by %j',
    async (sort) => {
      const { clients } = instance
      const tableId = await clients.addTable(docId, 'Moving', { T: 'Text', N: 'Int' })
      const made = Array.from({ length: 40 }, (_, i) => ({ T: `t${(i * 7) % 10}`, N: i % 3 }))
      const ids = await clients.add(docId, tableId, made)
      const seen: number[] = []
      const gone = new Set<number>()
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Page = await readPage(tableId, { sort, limit: 4, view: { cursor } })
        seen.push(...page.records.map(({ id }) => id))
        cursor = page.nextCursor ?? null
        // The row at which the page ended, and one of those to come.
        const last = page.records.at(-1)?.id ?? 0
        const next = ids.find((id) => !seen.includes(id) && !gone.has(id))
        for (const id of [last, next]) if (id !== undefined) gone.add(id)
        await clients.remove(docId, tableId, [...gone])
        await clients.add(docId, tableId, [{ T: 't0', N: 9 }])
      }
      expect(new Set(seen).size).toBe(seen.length)
      const stayed = ids.filter((id) => !gone.has(id))
      expect(seen.filter((id) => stayed.includes(id)).sort((a, b) => a - b)).toEqual(stayed)
    },
  )

  it('need a limit', async () => {
    await expect(readPage('Table1', { view: { cursor: '' } })).rejects.toMatchObject({
      code: 'invalid',
      reason: 'INVALID_LIMIT',
    })
  })
})

describe('an offset', () => {
  it('skips rows as a slice does, of all rows and of those after a cursor', async () => {
    const { clients } = instance
    const types = { T: 'Text', N: 'Numeric', A: 'Any', L: 'ChoiceList' }
    const rowsAndSort = {
      rows: fc.array(row, { minLength: 1 }),
      sort: fc.array(key, { maxLength: 2 }),
    }
    const limit = fc.integer({ min: 1, max: 6 })
    const offsets = fc.tuple(fc.nat(12), fc.nat(12))
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ...rowsAndSort, limit, offsets, filter }),
        async ({ rows, sort, limit, offsets: [first, second], filter: wanted }) => {
          const tableId = await clients.addTable(docId, `Skipped${count++}`, types)
          await clients.add(docId, tableId, rows, true)
          const asked = { sort, filter: wanted }
          const { records: whole } = await readPage(tableId, asked)
          const read = (view: Partial<RecordsView>, most = limit) =>
            readPage(tableId, { ...asked, limit: most, view: { count: true, ...view } })
          const totalCount = whole.length
          const records = whole.slice(first, first + limit)
          expect(await read({ offset: first })).toEqual({ records, totalCount })
          expect((await read({ offset: first }, 0)).records).toEqual(whole.slice(first))
          const { nextCursor, ...page } = await read({ offset: first, cursor: '' })
          expect(page).toMatchObject({ records, totalCount })
          expect(nextCursor === null).toBe(first + limit >= whole.length)
          if (typeof nextCursor !== 'string') return
          const after = first + limit + second
          const next = await read({ offset: second, cursor: nextCursor })
          expect(next).toMatchObject({ records: whole.slice(after, after + limit), totalCount })
          expect(next.nextCursor === null).toBe(after + limit >= whole.length)
        },
      ),
      { numRuns: 25 },
    )
  })

  it.each([-1, 10_000_001])('of %d is refused by name', async (offset) => {
    const message = 'offset must be an integer from 0 to 10000000'
    const read = readPage('_grist_Tables', { limit: 1, view: { offset } })
    await expect(read).rejects.toMatchObject({ reason: 'INVALID_OFFSET', message })
  })
})

describe('a cursor', () => {
  let cursor = ''
  beforeAll(async () => {
    const { clients } = instance
    for (const tableId of ['Here', 'There']) {
      await clients.addTable(docId, tableId, { T: 'Text' })
      await clients.add(docId, tableId, [{ T: 'a' }, { T: 'b' }, { T: 'c' }])
    }
    cursor = (await readPage('Here', { limit: 1, sort: ['T'], view: { cursor: '' } })).told ?? ''
  })

  const asked = { limit: 1, sort: ['T'] }
  const ids = async (tableId: string, request: Asked) =>
    (await readPage(tableId, { view: { cursor }, ...request })).records.map(({ id }) => id)

  it('may be used again, with another limit, and by the ref of the table', async () => {
    expect(await ids('Here', asked)).toEqual([2])
    expect(await ids('Here', { ...asked, limit: 9 })).toEqual([2, 3])
    const { clients } = instance
    const { tables } = await clients.tables.listTables(
      { docId, withColumns: false },
      await clients.as(docId, 'viewers'),
    )
    const ref = tables.find(({ id }) => id === 'Here')?.tableRef
    expect(await ids(String(ref), asked)).toEqual([2])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['of another table', () => ids('There', asked)],
    ['of another sort', () => ids('Here', { ...asked, sort: ['-T'] })],
    ['of no sort', () => ids('Here', { ...asked, sort: [] })],
    ['of another filter', () => ids('Here', { ...asked, filter: { T: ['b'] } })],
    ['that was changed', () => ids('Here', { ...asked, view: { cursor: flip(cursor) } })],
    ['that was cut', () => ids('Here', { ...asked, view: { cursor: cursor.slice(0, -3) } })],
    ['that is made up', () => ids('Here', { ...asked, view: { cursor: 'next' } })],
    ['that is no base64', () => ids('Here', { ...asked, view: { cursor: '\u0000💥' } })],
    [
      'of another document',
      async () => {
        const other = await instance.clients.createDocument()
        await instance.clients.addTable(other, 'Other', { T: 'Text' })
        return readPage('2', { ...asked, docId: other, view: { cursor } })
      },
    ],
  ])('%s is refused', async (_, read) => {
    await expect(read()).rejects.toMatchObject({ code: 'invalid', reason: 'INVALID_CURSOR' })
  })

  it.each<[string, Asked]>([
    ['sort', { sort: ['A'] }],
    ['filter', { filter: { A: ['x'] } }],
  ])('is refused when a column of its %s has changed places with another one', async (_, part) => {
    const { clients } = instance
    const as = await clients.as(docId, 'editors')
    const tableId = await clients.addTable(docId, 'Swapped', { A: 'Text', B: 'Text' })
    await clients.add(docId, tableId, [
      { A: 'x', B: 'x' },
      { A: 'x', B: 'x' },
    ])
    const { told = '' } = await readPage(tableId, { limit: 1, ...part, view: { cursor: '' } })
    const follow = () => readPage(tableId, { limit: 1, ...part, view: { cursor: told } })
    expect((await follow()).records.map(({ id }) => id)).toEqual([2])
    for (const [id, colId] of [
      ['A', 'C'],
      ['B', 'A'],
      ['C', 'B'],
    ] as const) {
      const columns = [ColumnUpdate.fromPartial({ id, fields: { colId } })]
      await clients.columns.updateColumns({ docId, tableId, columns }, as)
    }
    await expect(follow()).rejects.toMatchObject({ reason: 'INVALID_CURSOR' })
  })

  it('stays short when the sorted text is long, and is refused when its row is gone then', async () => {
    const { clients } = instance
    await clients.addTable(docId, 'Long', { T: 'Text' })
    const long = (end: string) => ({ T: 'x'.repeat(100_000) + end })
    await clients.add(docId, 'Long', [long('c'), long('a'), long('b')])
    const first = await readPage('Long', { ...asked, view: { cursor: '' } })
    expect(first.nextCursor?.length).toBeLessThan(200)
    const follow = () => readPage('Long', { ...asked, view: { cursor: first.nextCursor ?? '' } })
    expect((await follow()).records.map(({ id }) => id)).toEqual([3])
    await clients.remove(docId, 'Long', [2])
    await expect(follow()).rejects.toMatchObject({ reason: 'INVALID_CURSOR' })
  })
})

/** The same text with one character changed. */
function flip(cursor: string): string {
  const at = cursor.length >> 1
  return `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
}

/** To compare many rows, which is slow one by one. */
const textOf = (rows: readonly ReadRow[]) => JSON.stringify(rows)

describe('a big table', () => {
  const ROWS = 60_000
  let whole: ReadRow[] = []
  beforeAll(async () => {
    const { clients } = instance
    await clients.addTable(docId, 'Big', { T: 'Text', N: 'Int' })
    const rows = Array.from({ length: ROWS }, (_, i) => ({ T: `t${(i * 7919) % 997}`, N: i % 4 }))
    await clients.add(docId, 'Big', rows, true)
    whole = (await readPage('Big', { sort: ['-T', 'N'] })).records
  })

  it('is paged in threads, in any size of page', async () => {
    const sort = ['-T', 'N']
    for (const limit of [7_000, 25_000]) {
      const pages: Page[] = []
      for (
        let cursor: string | null = '';
        cursor !== null;
        cursor = pages.at(-1)?.nextCursor ?? null
      )
        pages.push(await readPage('Big', { sort, limit, view: { cursor, count: true } }))
      expect(textOf(pages.flatMap(({ records }) => records)) === textOf(whole)).toBe(true)
      expect(pages.map(({ totalCount }) => totalCount)).toEqual(pages.map(() => ROWS))
      // Above 10,000 rows it stands at the end only.
      expect(pages[0]?.told).toBe(limit <= 10_000 ? pages[0]?.nextCursor : undefined)
    }
  })

  it('is paged by row id, filtered and not, forwards and backwards', async () => {
    for (const sort of [[], ['-id']])
      for (const wanted of [undefined, { N: { gte: 3 } }, { T: { endsWith: '99' } }]) {
        const { records } = await readPage('Big', { sort, filter: wanted })
        const page = await readPages('Big', { sort, filter: wanted, limit: 9_999 })
        expect(textOf(page) === textOf(records)).toBe(true)
      }
  })

  it('skips many rows, in threads and beside other work, in any order and form', async () => {
    for (const sort of [[], ['-id'], ['manualSort'], ['-T', 'N']])
      for (const wanted of [undefined, { N: { gte: 3 } }, { T: ['t5', 't77'] }]) {
        const { records } = await readPage('Big', { sort, filter: wanted })
        const most = records.length
        for (const offset of [most - 3, most >> 1, most + 1].filter((n) => n > 0)) {
          const read = (limit: number, cursor?: string) =>
            readPage('Big', { sort, filter: wanted, limit, view: { offset, cursor } })
          const slice = textOf(records.slice(offset, offset + 20))
          const [plain, page, rest] = [await read(20), await read(20, ''), await read(0)]
          expect([plain, page].map((read) => textOf(read.records) === slice)).toEqual([true, true])
          expect(textOf(rest.records) === textOf(records.slice(offset))).toBe(true)
          expect(page.nextCursor === null).toBe(offset + 20 >= most)
        }
      }
  })

  it('is counted with a filter, whatever the limit', async () => {
    const asked = { filter: { N: { gte: 3 } }, view: { count: true } }
    const { records, totalCount, nextCursor } = await readPage('Big', { ...asked, limit: 2 })
    expect([records.length, totalCount, nextCursor]).toEqual([2, ROWS / 4, undefined])
    const all = await readPage('Big', asked)
    expect([all.records.length, all.totalCount]).toEqual([ROWS / 4, ROWS / 4])
    const none = await readPage('Big', { ...asked, filter: { N: [77] } })
    expect(none).toMatchObject({ records: [], totalCount: 0 })
  })
})

describe('fields', () => {
  it('are the only ones shown, in the order of the table, hidden ones when named', async () => {
    const { clients } = instance
    const types = { X: 'Text', Y: 'Int', Z: 'Any' }
    const tableId = await clients.addTable(docId, 'Fields', types)
    await clients.add(docId, tableId, [{ X: 'x', Y: 1, Z: true }])
    const show = async (...fields: string[]) =>
      Object.entries(
        (await readPage(tableId, { view: { fields, onlyFields: true } })).records[0]?.fields ?? {},
      )
    expect(await show('Z', 'X')).toEqual([
      ['X', 'x'],
      ['Z', true],
    ])
    expect(await show('manualSort', 'id', 'Y')).toEqual([
      ['manualSort', 1],
      ['Y', 1],
    ])
    expect(await show()).toEqual([])
    await expect(show('X', 'nope')).rejects.toMatchObject({
      code: 'invalid',
      reason: 'UNKNOWN_COLUMN',
    })
  })
})
