import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import {
  CellFormat,
  ReadRecordsRequest,
  RecordsForm,
  type RecordsView,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import {
  recordsOfArrow,
  recordsOfCsv,
  recordsOfNdjson,
  withTexts,
  type FormRecord,
} from '@sheaf/testkit/record-forms'
import { buildWorkers } from '../support/test-store'
import { TestInstance } from '../support/test-instance'

let instance: TestInstance
let docId = ''

beforeAll(async () => {
  buildWorkers()
  instance = await TestInstance.start()
  docId = await instance.clients.createDocument()
})
afterAll(() => instance[Symbol.asyncDispose]())

type Asked = Partial<Omit<ReadRecordsRequest, 'view' | 'filterJson'>> & {
  filter?: object
  view?: Partial<RecordsView>
}

/** An answer in one format, and what its first message tells. */
async function read(tableId: string, format: ResultFormat, asked: Asked = {}) {
  const { filter, ...rest } = asked
  const filterJson = Buffer.from(filter ? JSON.stringify(filter) : '')
  const request = ReadRecordsRequest.fromPartial({ docId, tableId, format, filterJson, ...rest })
  const call = await instance.clients.as(docId, 'viewers')
  const messages = []
  for await (const message of instance.clients.records.readRecords(request, call))
    messages.push(message)
  return { bytes: Buffer.concat(messages.map(({ chunk }) => chunk)), messages, first: messages[0] }
}

async function readJson(tableId: string, asked?: Asked) {
  const { bytes } = await read(tableId, ResultFormat.JSON, asked)
  const document = JSON.parse(bytes.toString()) as {
    records: FormRecord[]
    nextCursor?: string | null
    totalCount?: number
  }
  return { bytes, ...document }
}

/** Reads in every format, and checks that all have the records that are given. */
async function expectInAll(tableId: string, asked: Asked, records: FormRecord[]): Promise<void> {
  const ndjson = await read(tableId, ResultFormat.NDJSON, asked)
  expect(recordsOfNdjson(ndjson.bytes)).toEqual(records)
  const csv = await read(tableId, ResultFormat.CSV, asked)
  expect(recordsOfCsv(csv.bytes)).toEqual(withTexts(records))
  const arrow = await read(tableId, ResultFormat.ARROW, asked)
  expect(recordsOfArrow(arrow.bytes)).toEqual(records)
}

/** Compares tens of thousands of records in little time; tells the first that differs. */
function expectSame(records: readonly FormRecord[], wanted: readonly FormRecord[]): void {
  expect(records.length).toBe(wanted.length)
  const differs = records.findIndex((r, i) => JSON.stringify(r) !== JSON.stringify(wanted[i]))
  expect([differs, records[differs]]).toEqual([-1, wanted[differs]])
}

const types = {
  T: 'Text',
  N: 'Numeric',
  I: 'Int',
  B: 'Bool',
  D: 'Date',
  W: 'DateTime:Europe/Berlin',
  C: 'Choice',
  L: 'ChoiceList',
  R: 'Ref:Every',
  S: 'RefList:Every',
  F: 'Attachments',
  A: 'Any',
}

const odd = ['', 'kept text', '"quoted", or not\nquite', '[1]', 'null', '\u0001"x"']
const kept = fc.constantFrom<unknown>(null, ...odd)
const row = fc.record({
  T: fc.oneof(kept, fc.string()),
  N: fc.oneof(kept, fc.double({ noNaN: true, noDefaultInfinity: true })),
  I: fc.oneof(kept, fc.integer()),
  B: fc.oneof(kept, fc.boolean()),
  D: fc.oneof(
    kept,
    fc.integer({ min: -40_000, max: 40_000 }).map((day) => day * 86_400),
    fc.constantFrom(1, 1.5),
  ),
  W: fc.oneof(
    kept,
    fc.integer({ min: -4e12, max: 4e12 }).map((ms) => ms / 1000),
    fc.constantFrom(1e300),
  ),
  C: kept,
  L: fc.oneof(
    kept,
    fc.array(fc.constantFrom('a', 'b,c', '"'), { maxLength: 3 }).map((list) => ['L', ...list]),
  ),
  R: fc.oneof(kept, fc.nat()),
  S: fc.oneof(
    kept,
    fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 3 }).map((list) => ['L', ...list]),
  ),
  F: fc.oneof(kept, fc.constant(['L', 1, 2])),
  A: fc.oneof(kept, fc.double({ noNaN: true }), fc.boolean(), fc.constant(['L', 'x', 1])),
})
const selection = fc.record({
  sort: fc.constantFrom<string[]>([], ['T'], ['-N', 'I'], ['-id'], ['A:naturalSort']),
  limit: fc.constantFrom(0, 1, 3),
  hidden: fc.boolean(),
  filter: fc.constantFrom<object | undefined>(
    undefined,
    { T: [''] },
    { N: { gte: 0 } },
    { id: [] },
  ),
  view: fc.constantFrom<Partial<RecordsView> | undefined>(
    undefined,
    { onlyFields: true, fields: ['L', 'B', 'manualSort'] },
    { onlyFields: true, fields: [] },
    { count: true },
  ),
})

describe('records in other formats', () => {
  it('are those of the JSON cell by cell, whatever the types, the cells and the selection', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), selection, async (rows, asked) => {
        const tableId = await instance.clients.addTable(docId, `Every${++count}`, types)
        if (rows.length > 0) await instance.clients.add(docId, tableId, rows, true)
        await expectInAll(tableId, asked, (await readJson(tableId, asked)).records)
      }),
      { numRuns: 25 },
    )
  })

  it('hold no row more than the JSON when there is none', async () => {
    const tableId = await instance.clients.addTable(docId, 'Empty', { A: 'Int', B: 'Text' })
    const { bytes, messages } = await read(tableId, ResultFormat.NDJSON)
    expect([bytes.length, messages.length]).toEqual([0, 1])
    expect(messages[0]?.etag).toMatch(/\.\d+$/)
    expect((await read(tableId, ResultFormat.CSV)).bytes.toString()).toBe('id,A,B\n')
    const table = tableFromIPC((await read(tableId, ResultFormat.ARROW)).bytes)
    expect([table.numRows, table.schema.names]).toEqual([0, ['id', 'A', 'B', '_unparsed']])
  })

  it('have codes in typed cells, but for Arrow, which refuses them', async () => {
    const tableId = await instance.clients.addTable(docId, 'Typed', {
      D: 'Date',
      S: 'RefList:Typed',
    })
    await instance.clients.add(docId, tableId, [{ D: 86_400, S: ['L', 2] }, {}])
    const asked = { cellFormat: CellFormat.TYPED }
    const { records } = await readJson(tableId, asked)
    expect(recordsOfNdjson((await read(tableId, ResultFormat.NDJSON, asked)).bytes)).toEqual(
      records,
    )
    expect(recordsOfCsv((await read(tableId, ResultFormat.CSV, asked)).bytes)).toEqual(
      withTexts(records),
    )
    await expect(read(tableId, ResultFormat.ARROW, asked)).rejects.toMatchObject({
      message: expect.stringContaining('cellFormat'),
    })
  })

  it('are refused in columns, and in a format that nobody knows', async () => {
    const refusal = { reason: 'BAD_FIELD' }
    const inColumns = read('Empty', ResultFormat.CSV, { form: RecordsForm.COLUMNS })
    await expect(inColumns).rejects.toMatchObject(refusal)
    await expect(read('Empty', 99 as ResultFormat)).rejects.toMatchObject(refusal)
  })
})

describe('pages in other formats', () => {
  it.each([ResultFormat.NDJSON, ResultFormat.CSV, ResultFormat.ARROW])(
    'tell their cursor and the count before the rows: format %d',
    async (format) => {
      const tableId = await instance.clients.addTable(docId, 'Paged', { N: 'Int' })
      const rows = Array.from({ length: 25 }, (_, i) => ({ N: (i * 7) % 10 }))
      await instance.clients.add(docId, tableId, rows)
      const readRows = { [ResultFormat.NDJSON]: recordsOfNdjson, [ResultFormat.CSV]: recordsOfCsv }
      const toRecords =
        (readRows as Record<number, typeof recordsOfArrow>)[format] ?? recordsOfArrow
      const ids: number[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const view = { cursor, count: true }
        const page = await read(tableId, format, { sort: ['N'], limit: 10, view })
        expect(page.first?.totalCount).toBe(25)
        ids.push(...toRecords(page.bytes).map(({ id }) => id))
        cursor = page.first?.nextCursor
      }
      const whole = await readJson(tableId, { sort: ['N'] })
      expect(ids).toEqual(whole.records.map(({ id }) => id))
    },
  )

  it('tell their cursor also when they are too large for that in JSON', async () => {
    const tableId = await instance.clients.addTable(docId, 'Pages', { N: 'Int' })
    await instance.clients.add(docId, tableId, [{ N: 1 }, { N: 2 }])
    const cells = { N: Array.from({ length: 10_100 }, (_, i) => i) }
    await addColumnar(tableId, cells)
    const asked = { limit: 10_050, view: { cursor: '' } }
    expect((await read(tableId, ResultFormat.JSON, asked)).first?.nextCursor).toBeUndefined()
    const { first, bytes } = await read(tableId, ResultFormat.CSV, asked)
    expect(recordsOfCsv(bytes)).toHaveLength(10_050)
    const next = { limit: 10_050, view: { cursor: first?.nextCursor } }
    expect(recordsOfCsv((await read(tableId, ResultFormat.CSV, next)).bytes)).toHaveLength(52)
  })
})

async function addColumnar(tableId: string, cells: Record<string, unknown[]>): Promise<void> {
  const call = await instance.clients.as(docId, 'editors')
  const bodyJson = Buffer.from(JSON.stringify(cells))
  const request = { docId, tableId, bodyJson, noParse: true, form: RecordsForm.COLUMNS }
  await instance.clients.records.addRecords(request, call)
}

describe('many records in other formats', () => {
  /** Enough for a thread. */
  const ROWS = 52_000
  beforeAll(async () => {
    await instance.clients.addTable(docId, 'Big', { T: 'Text', N: 'Numeric', L: 'ChoiceList' })
    await addColumnar('Big', {
      T: Array.from({ length: ROWS }, (_, i) => (i % 11 === 0 ? `é,"${i}"` : `text ${i}`)),
      N: Array.from({ length: ROWS }, (_, i) => (i % 1000 === 0 ? 'n/a' : i / 8)),
      L: Array.from({ length: ROWS }, (_, i) => (i % 3 === 0 ? ['L', 'a', `${i}`] : null)),
    })
  })

  it.each<[string, Asked]>([
    ['all', {}],
    ['filtered', { filter: { N: { gte: 100 } } }],
    ['limited', { limit: 5_000 }],
    ['a page, counted', { limit: 3_000, sort: ['T'], view: { cursor: '', count: true } }],
  ])('come in bounded pieces and are those of the JSON: %s', async (_name, asked) => {
    const { records } = await readJson('Big', asked)
    const lines = await read('Big', ResultFormat.NDJSON, asked)
    expectSame(recordsOfNdjson(lines.bytes), records)
    const csv = await read('Big', ResultFormat.CSV, asked)
    expectSame(recordsOfCsv(csv.bytes), withTexts(records))
    const arrow = await read('Big', ResultFormat.ARROW, asked)
    expectSame(recordsOfArrow(arrow.bytes), records)
    for (const { messages } of [lines, csv, arrow]) {
      expect(messages.length).toBeGreaterThan(1)
      expect(Math.max(...messages.map(({ chunk }) => chunk.length))).toBeLessThanOrEqual(
        1024 * 1024,
      )
    }
  })

  it('can be left by whoever has enough, and the document goes on', async () => {
    const { clients } = instance
    const request = ReadRecordsRequest.fromPartial({
      docId,
      tableId: 'Big',
      format: ResultFormat.ARROW,
    })
    for (let i = 0; i < 10; i++) {
      const call = await clients.as(docId, 'viewers')
      for await (const { chunk } of clients.records.readRecords(request, call)) {
        expect(chunk.length).toBeGreaterThan(0)
        break
      }
    }
    expect((await readJson('Big', { limit: 1 })).records).toHaveLength(1)
  })
})
