import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { TestDocument, reasonOf } from '../support/test-attachments'
import { TestInstance, type ReadRow } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

interface Page {
  readonly records: ReadRow[]
  readonly nextCursor?: string | null
  readonly totalCount?: number
}

let instance: TestInstance
let document: TestDocument
let docId = ''

beforeAll(async () => {
  buildWorkers()
  instance = await TestInstance.start()
  document = await TestDocument.create(instance)
  ;({ docId } = document)
})
afterAll(() => instance[Symbol.asyncDispose]())

type Asked = Parameters<typeof ReadRecordsRequest.fromPartial>[0]

async function readText(tableId: string, asked: Asked): Promise<string> {
  const { clients } = instance
  const request = ReadRecordsRequest.fromPartial({ docId, tableId, ...asked })
  const chunks: Buffer[] = []
  const call = await clients.as(docId, 'editors')
  for await (const { chunk } of clients.records.readRecords(request, call)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
const readPage = async (tableId: string, asked: Asked): Promise<Page> =>
  JSON.parse(await readText(tableId, asked)) as Page
async function find(tableId: string, text: string, asked: Asked = {}): Promise<number[]> {
  const { records } = await readPage(tableId, { search: { text, columns: [] }, ...asked })
  return records.map(({ id }) => id)
}

/** Makes references show a column of their table. */
async function show(tableId: string, columnId: string, shown: string): Promise<void> {
  const ref = document.look<number>(
    `SELECT id FROM _grist_Tables_column WHERE colId = '${shown}' ORDER BY id DESC LIMIT 1`,
  )[0]
  const columns = [ColumnUpdate.fromPartial({ id: columnId, fields: { visibleCol: ref } })]
  const call = await instance.clients.as(docId, 'owners')
  await instance.clients.columns.updateColumns({ docId, tableId, columns }, call)
}

describe('a search in a table', () => {
  beforeAll(async () => {
    const { clients } = instance
    await clients.addTable(docId, 'Teams', { Title: 'Text' })
    await clients.add(docId, 'Teams', [{ Title: 'Grün' }, { Title: 'Blau' }])
    const types = {
      Name: 'Text',
      Team: 'Ref:Teams',
      Friends: 'RefList:Teams',
      Files: 'Attachments',
      Old: 'Ref:Teams',
      Born: 'Date',
      Seen: 'DateTime:Europe/Berlin',
      Done: 'Bool',
      Tags: 'ChoiceList',
      Pay: 'Numeric',
    }
    await clients.addTable(docId, 'People', types)
    const { id: file } = await document.uploadOne('Vertrag 7.pdf', 'x')
    await clients.add(docId, 'People', [
      { Name: 'Ada', Team: 1, Old: 2, Born: '1815-12-10', Pay: 1234.5, Tags: ['L', 'Chess', 'Go'] },
      { Name: 'BOB', Team: 2, Friends: ['L', 1, 2], Done: true, Seen: 1709247600 },
      { Name: 'Grünwald', Files: ['L', file] },
    ])
    await show('People', 'Team', 'Title')
    await show('People', 'Friends', 'Title')
  })

  it.each<[string, string, number[]]>([
    ['text in another case', 'bob', [2]],
    ['text and what references show', 'GRÜN', [1, 2, 3]],
    ['the first text of rows that references name without a column to show', 'blau', [1, 2]],
    ['an item of a list', 'chess', [1]],
    ['no two items at once', 'chess, go', []],
    ['a part of a number', '34.5', [1]],
    ['a date', '1815-12', [1]],
    ['a time in the zone of its column', '2024-03-01 00:00', [2]],
    ['the name of a file', 'vertrag', [3]],
    ['no truth value', 'true', []],
    ['no pattern', 'B_B', []],
  ])('finds %s', async (_what, text, ids) => {
    expect(await find('People', text)).toEqual(ids)
  })

  it('composes with filter, order, limit, offset, columns and count', async () => {
    const search = { text: 'grün', columns: [] }
    const filterJson = Buffer.from('{"Name":{"ne":"BOB"}}')
    const view = { fields: ['Name'], onlyFields: true, count: true, offset: 1 }
    const page = await readPage('People', { search, filterJson, sort: ['-Name'], limit: 1, view })
    expect(page).toEqual({ records: [{ id: 1, fields: { Name: 'Ada' } }], totalCount: 2 })
  })

  it('looks only at the columns that it names', async () => {
    const inNames = { search: { text: 'grün', columns: ['Name'] } }
    expect(await find('People', 'grün', inNames)).toEqual([3])
    const unknown = readText('People', { search: { text: 'grün', columns: ['Nmae'] } })
    expect(await reasonOf(unknown)).toBe('UNKNOWN_COLUMN')
  })

  it('continues by a cursor of the same search, and of no other', async () => {
    const ask = (text: string, cursor: string) =>
      readPage('People', { search: { text, columns: [] }, limit: 2, view: { cursor } })
    const first = await ask('grün', '')
    expect(first.records.map(({ id }) => id)).toEqual([1, 2])
    const cursor = first.nextCursor ?? ''
    expect((await ask('grün', cursor)).records.map(({ id }) => id)).toEqual([3])
    expect(await reasonOf(ask('gr', cursor))).toBe('INVALID_CURSOR')
    expect(await reasonOf(readPage('People', { limit: 2, view: { cursor } }))).toBe(
      'INVALID_CURSOR',
    )
  })

  it('selects the rows of other formats', async () => {
    const search = { text: 'bob', columns: [] }
    const view = { fields: ['Name'], onlyFields: true }
    const ask = (format: ResultFormat) => readText('People', { search, view, format })
    expect(await ask(ResultFormat.CSV)).toBe('id,Name\n2,BOB\n')
    expect(await ask(ResultFormat.NDJSON)).toBe('{"id":2,"fields":{"Name":"BOB"}}\n')
  })

  it('sees a former moment as it was, also what references showed then', async () => {
    const { clients } = instance
    const seq = document.look<number>('SELECT max(seq) FROM _sheaf_log')[0] ?? 0
    await clients.update(docId, 'Teams', [{ id: 1, fields: { Title: 'Rot' } }])
    await clients.update(docId, 'People', [{ id: 2, fields: { Name: 'Eve' } }])
    const then = { options: { asOf: { moment: { $case: 'seq' as const, value: seq } } } }
    expect(await find('People', 'rot')).toEqual([1, 2])
    expect(await find('People', 'rot', then)).toEqual([])
    expect(await find('People', 'grün', then)).toEqual([1, 2, 3])
    expect(
      await find('People', 'bob', { ...then, search: { text: 'bob', columns: ['Name'] } }),
    ).toEqual([2])
  })

  it('refuses a text that is empty or too long', async () => {
    for (const text of ['', 'x'.repeat(201)])
      expect(await reasonOf(find('People', text))).toBe('BAD_FIELD')
  })

  it('reads a large table in a thread, in every order', async () => {
    const { clients } = instance
    await clients.addTable(docId, 'Large', { Name: 'Text', Team: 'Ref:Teams' })
    await show('Large', 'Team', 'Title')
    const rows = Array.from({ length: 52_000 }, (_, i) => ({
      Name: `row ${i}`,
      Team: i === 51_000 ? 2 : 0,
    }))
    for (let start = 0; start < rows.length; start += 13_000)
      await clients.add(docId, 'Large', rows.slice(start, start + 13_000))
    expect(await find('Large', 'blau')).toEqual([51_001])
    expect(await find('Large', 'ROW 777', { sort: ['-id'] })).toHaveLength(11)
    const search = { text: 'row 5199', columns: [] }
    const view = { cursor: '', count: true }
    const page = await readPage('Large', { search, sort: ['-Name'], limit: 3, view })
    expect(page.records.map(({ id }) => id)).toEqual([52_000, 51_999, 51_998])
    expect(page.totalCount).toBe(11)
    for (const sort of [[], ['-id']]) {
      const ids: number[] = []
      for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
        const view = { cursor, count: cursor === '' }
        const next: Page = await readPage('Large', { search, sort, limit: 4, view })
        if (cursor === '') expect(next.totalCount).toBe(11)
        ids.push(...next.records.map(({ id }) => id))
        cursor = next.nextCursor
      }
      const expected = [5200, ...Array.from({ length: 10 }, (_, i) => 51_991 + i)]
      expect(ids).toEqual(sort.length > 0 ? expected.reverse() : expected)
    }
  })
})
