import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import ExcelJS from 'exceljs'
import { Table } from 'tableschema'
import { createRest, type Rest, type RestReply } from '@sheaf/testkit/rest'
import { tempDir } from '@sheaf/testkit/temp-dir'
import {
  addRecords,
  addTable,
  emailOf,
  newDocument,
  readRecords,
  useSystem,
} from '../support/system'
import { ensureSqlite3 } from '../conformance/sqlite3-command'

const run = promisify(execFile)
const system = useSystem()
const data = join(__dirname, '..', 'data')

const csvRows = (text: string): string[][] => parse(text)

const download = (doc: string, form: string, query: Record<string, unknown> = {}, rest?: Rest) =>
  (rest ?? system.alice.rest).get(`${doc}/download${form}`, { query })

async function openSheets({ raw }: RestReply): Promise<ExcelJS.Workbook> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(raw as unknown as ArrayBuffer)
  return workbook
}

/** Runs a statement in the sqlite3 shell on the bytes of a download. */
async function inShell({ raw }: RestReply, sql: string): Promise<string> {
  await using folder = await tempDir()
  const file = join(folder.path, 'document.sqlite')
  await writeFile(file, raw)
  const { stdout } = await run('sqlite3', ['-readonly', file, sql])
  return stdout.trim()
}

interface TableSchema {
  readonly path: string
  readonly schema: {
    readonly fields: readonly { name: string; type: string; constraints?: object }[]
    readonly primaryKey?: readonly string[]
  }
}

/** What an independent reader makes of a CSV and its description: every row with typed values. Throws for what does not fit. */
async function readBySchema(csv: string, { schema }: TableSchema): Promise<unknown[][]> {
  await using folder = await tempDir()
  const file = join(folder.path, 'table.csv')
  await writeFile(file, csv)
  const table = await Table.load(file, { schema, strict: true })
  // Its own types say that it answers at once.
  const rows = table.read() as unknown as Promise<unknown[][]>
  // The file must be there until all is read.
  return await rows
}

describe('tables that are downloaded', () => {
  it('hold country-codes.csv as CSV, TSV and XLSX, equal cell by cell to its records', async () => {
    const { rest } = system.alice
    const [header = [], ...sent] = csvRows(readFileSync(join(data, 'country-codes.csv'), 'utf8'))
    const doc = await newDocument(rest, 'Länder')
    const columns = header.map((label) => ({ id: label, fields: { type: 'Text', label } }))
    await rest.post(`${doc}/tables`, { body: { tables: [{ id: 'Data', columns }] } })
    const table = `${doc}/tables/Data`
    const { body } = await rest.get<{ columns: { id: string }[] }>(`${table}/columns`)
    const ids = body.columns.map(({ id }) => id)
    await addRecords(
      rest,
      table,
      sent.map((row) => Object.fromEntries(row.map((cell, i) => [ids[i] ?? '', cell]))),
    )
    const records = (await readRecords(rest, table)).map(({ fields }) =>
      ids.map((id) => fields[id]),
    )
    expect(records).toEqual(sent)
    const csv = await download(doc, '/csv', { tableId: 'Data' })
    expect(csvRows(csv.text)).toEqual([header, ...records])
    const tsv = await download(doc, '/tsv', { tableId: 'Data', header: 'colId' })
    expect(parse(tsv.text, { delimiter: '\t' })).toEqual([ids, ...records])
    const sheet = (await openSheets(await download(doc, '/xlsx'))).getWorksheet('Data')
    const cells: string[][] = []
    sheet?.eachRow((row) => {
      cells.push(header.map((_, i) => row.getCell(i + 1).text))
    })
    expect(cells).toEqual([header, ...records])
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toBe(
      `attachment; filename=Lander-Data.csv; filename*=UTF-8''L%C3%A4nder-Data.csv`,
    )
  })

  it('have the name that is asked for, and errors have none', async () => {
    const doc = await newDocument(system.alice.rest, '日本/"x"')
    const named = async (form: string, query: object) =>
      (await download(doc, form, { ...query })).headers.get('content-disposition')
    expect(await named('/csv', { tableId: 'Table1', title: 'mine' })).toBe(
      'attachment; filename=mine.csv',
    )
    expect(await named('/xlsx', {})).toContain(`filename*=UTF-8''%E6%97%A5%E6%9C%AC_%22x%22.xlsx`)
    for (const form of ['/csv', '/tsv', '/dsv', '/xlsx', '/table-schema']) {
      const none = await download(doc, form, { tableId: 'Nope' })
      expect([none.status, none.body]).toEqual([
        404,
        { error: 'Table Nope not found.', details: { reason: 'TABLE_NOT_FOUND' } },
      ])
      expect(none.headers.get('content-type')).toMatch(/^application\/json/)
      expect(none.headers.get('content-disposition')).toBeNull()
      const section = await download(doc, form, { tableId: 'Table1', viewSection: 9999 })
      expect([section.status, section.text]).toEqual([
        404,
        expect.stringContaining('No record 9999'),
      ])
      const sorted = {
        tableId: 'Table1',
        activeSortSpec: 'no list',
        filters: '{',
        linkingFilter: '[',
      }
      expect((await download(doc, form, sorted)).status).toBe(200)
      expect((await download(doc, form, { tableId: 'Table1', header: 'x' })).text).toContain(
        'header parameter should be one of label,colId: x',
      )
    }
    expect((await download(doc, '/csv')).text).toContain('tableId parameter is required')
    const head = await fetch(`${system.sheaf.url}${doc}/download/csv?tableId=Table1`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${system.sheaf.ownerKey}` },
    })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('are not sent again to who has them', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    for (const form of ['/csv?tableId=Table1', '/xlsx', '/table-schema?tableId=Table1', '']) {
      const path = `${doc}/download${form}`
      const etag = (await rest.get(path)).headers.get('etag') ?? ''
      const again = () => rest.get(path, { headers: { 'if-none-match': etag } })
      expect((await again()).status).toBe(304)
      await addRecords(rest, `${doc}/tables/Table1`, [{ A: form }])
      expect((await again()).status).toBe(200)
    }
  })

  it('as a workbook are an error, not a broken file, when there is no table', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const { body } = await rest.get<{ records: { id: number }[] }>(
      `${doc}/tables/_grist_Tables/records`,
    )
    const ids = body.records.map(({ id }) => id)
    await rest.post(`${doc}/tables/_grist_Tables/data/delete`, { body: ids })
    const reply = await rest.get<{ error: string }>(`${doc}/download/xlsx`)
    expect(reply.status).toBe(404)
    expect(reply.body.error).toBe('the document has no tables')
  })

  it('stop when their reader goes away', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ A: `${'long '.repeat(40)}${i}` }))
    await addRecords(rest, `${doc}/tables/Table1`, rows)
    // More than may run at once: those that were left must have ended.
    for (let i = 0; i < 20; i++) {
      const left = new AbortController()
      const { sheaf } = system
      const response = await fetch(
        `${sheaf.url}${doc}/download/${i % 2 ? 'csv' : 'xlsx'}?tableId=Table1`,
        {
          headers: { Authorization: `Bearer ${sheaf.ownerKey}` },
          signal: left.signal,
        },
      )
      await response.body?.getReader().read()
      left.abort()
    }
    const whole = await download(doc, '/csv', { tableId: 'Table1' })
    expect(csvRows(whole.text)).toHaveLength(20_001)
  })
})

describe('the table schema', () => {
  const types = {
    Text: 'Text',
    Number: 'Numeric',
    Whole: 'Int',
    Truth: 'Bool',
    Day: 'Date',
    Short: 'Date',
    Instant: 'DateTime:Europe/Berlin',
    Kind: 'Choice',
    Kinds: 'ChoiceList',
    One: 'Ref:People',
    Several: 'RefList:People',
    Pics: 'Attachments',
    Any: 'Any',
    Price: 'Numeric',
  }
  const row = {
    Text: 'a "quoted", text\nof two lines',
    Number: -0.125,
    Whole: 7,
    Truth: true,
    Day: 1705276800,
    Short: 1706745600,
    Instant: 1705287600,
    Kind: 'cat',
    Kinds: ['L', 'a,b', 'c'],
    One: 1,
    Several: ['L', 1, 2],
    Pics: ['L', 1],
    Any: ['L', 1, 'a'],
    Price: 1234.5,
  }

  it('fits its CSV, as an independent reader sees it, with every type, labels or ids', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'People', { Name: 'Text' })
    await addTable(rest, doc, 'Every', types)
    const change = async (id: string, fields: object) => {
      const body = { columns: [{ id, fields }] }
      expect((await rest.patch(`${doc}/tables/Every/columns`, { body })).status).toBe(200)
    }
    await change('Text', { label: 'A label, "quoted"', untieColIdFromLabel: true })
    await change('Short', { widgetOptions: '{"dateFormat":"D MMM YY"}' })
    await change('Kind', { widgetOptions: '{"choices":["cat","dog"]}' })
    await change('Price', { widgetOptions: '{"numMode":"currency","currency":"EUR"}' })
    await addRecords(rest, `${doc}/tables/Every`, [row])
    await addRecords(rest, `${doc}/tables/Every`, [{ Text: null }])
    for (const query of [{}, { header: 'colId' }, { header: 'colId', rowIds: 'true' }]) {
      const described = await download(doc, '/table-schema', { tableId: 'Every', ...query })
      const schema = described.body as TableSchema
      const { origin, pathname, search } = new URL(schema.path)
      expect(origin).toBe(system.sheaf.url)
      const csv = await rest.get(`${pathname}${search}`)
      expect(csv.status).toBe(200)
      const [first = [], second = []] = await readBySchema(csv.text, schema)
      const ids = 'rowIds' in query ? [[1], [2]] : [[], []]
      expect(first).toEqual([
        ...(ids[0] ?? []),
        ...[row.Text, -0.125, 7, true],
        ...[new Date(2024, 0, 15), new Date(2024, 1, 1), new Date(2024, 0, 15, 4)],
        ...['cat', ['a,b', 'c'], 'People[1]', 'People[1], People[2]', '1', '1, a', 1234.5],
      ])
      expect(second.slice(ids[1]?.length)).toEqual([
        ...[null, 0, 0, false, null, null, null, null, null, null, null, null, null, 0],
      ])
      expect(schema.schema.primaryKey).toEqual('rowIds' in query ? ['id'] : undefined)
      const { fields } = schema.schema
      const truth = fields.find(({ name }) => name === 'Truth')
      expect(truth?.constraints).toEqual({ required: true })
      const label = 'header' in query ? 'Text' : 'A label, "quoted"'
      expect(fields.map(({ name }) => name)).toContain(label)
    }
  })

  it('names the CSV that it fits, whatever else its address asks for', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const query = { tableId: 'Table1', standard: 'true', title: 'a b&c' }
    const { body } = await rest.get<{ path: string }>(`${doc}/download/table-schema`, { query })
    const { searchParams } = new URL(body.path)
    expect(searchParams.getAll('standard')).toEqual(['true'])
    expect(searchParams.get('title')).toBe('a b&c')
  })

  it('also fits the CSV as people see it, but for choice lists and the hours of the clock', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const plain = {
      Text: 'Text',
      Number: 'Numeric',
      Whole: 'Int',
      Truth: 'Bool',
      Day: 'Date',
      One: 'Ref:T',
    }
    await addTable(rest, doc, 'T', plain)
    const { Text, Number, Whole, Truth, Day, One } = row
    await addRecords(rest, `${doc}/tables/T`, [{ Text, Number, Whole, Truth, Day, One }])
    const schema = (await download(doc, '/table-schema', { tableId: 'T' })).body as TableSchema
    const { text } = await download(doc, '/csv', { tableId: 'T' })
    expect(await readBySchema(text, schema)).toEqual([
      [row.Text, -0.125, 7, true, new Date(2024, 0, 15), 'T[1]'],
    ])
    await expect(readBySchema(text.replace(',7,', ',seven,'), schema)).rejects.toThrow()
  })
})

describe('the SQLite file of a document', () => {
  beforeAll(ensureSqlite3)

  it('opens in the sqlite3 shell, is whole, and holds one moment while writes go on', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest, 'Datei')
    const table = `${doc}/tables/Table1`
    await addRecords(
      rest,
      table,
      Array.from({ length: 2_000 }, () => ({ A: 'old', B: 'old' })),
    )
    let running = true
    const writing = (async () => {
      for (let i = 0; running; i++)
        await rest.patch(`${table}/records`, {
          body: { records: [1, 2_000].map((id) => ({ id, fields: { A: `turn ${i}` } })) },
        })
    })()
    try {
      for (let taken = 0; taken < 3; taken++) {
        const file = await download(doc, '')
        expect(file.headers.get('content-type')).toBe('application/x-sqlite3')
        expect(file.headers.get('content-disposition')).toBe('attachment; filename=Datei.sqlite')
        expect(Number(file.headers.get('content-length'))).toBe(file.raw.length)
        expect(new Date(file.headers.get('last-modified') ?? '').getTime()).toBeGreaterThan(0)
        expect(file.headers.get('accept-ranges')).toBe('none')
        expect(
          await inShell(
            file,
            `PRAGMA integrity_check;
            SELECT count(*), count(DISTINCT A) FROM Table1 WHERE id IN (1, 2000);
            SELECT count(*) FROM Table1; SELECT tableId FROM _grist_Tables`,
          ),
        ).toBe('ok\n2|1\n2000\nTable1')
      }
    } finally {
      running = false
      await writing
    }
  })

  it('has no history without a right to it, shrinks without it, and keeps structure alone as a template', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const table = `${doc}/tables/Table1`
    const secret = 'what stood here before'
    await addRecords(
      rest,
      table,
      Array.from({ length: 500 }, () => ({ A: secret })),
    )
    await rest.post(`${table}/records/delete`, {
      body: Array.from({ length: 500 }, (_, i) => i + 1),
    })
    await addRecords(rest, table, [{ A: 'what stands here' }])
    const viewer = await system.sheaf.createUser(emailOf('viewer'), 'Viewer')
    await rest.patch(`${doc}/access`, { body: { delta: { users: { [viewer.email]: 'viewers' } } } })
    const whole = await download(doc, '')
    const lean = await download(doc, '', { nohistory: 'true' })
    const seen = await download(doc, '', {}, createRest(system.sheaf.url, viewer.key))
    const template = await download(doc, '', { template: '1' })
    expect(whole.raw.includes(secret)).toBe(true)
    expect(lean.raw.length).toBeLessThan(whole.raw.length)
    for (const file of [lean, seen, template]) {
      expect(file.raw.includes(secret)).toBe(false)
      expect(await inShell(file, 'PRAGMA integrity_check; SELECT count(*) FROM _sheaf_log')).toBe(
        'ok\n0',
      )
    }
    expect(
      await inShell(template, 'SELECT count(*) FROM Table1; SELECT count(*) FROM _grist_Tables'),
    ).toBe('0\n1')
    for (const word of [
      system.sheaf.ownerKey,
      viewer.key,
      viewer.email,
      system.alice.email,
      'password',
    ])
      expect(whole.raw.includes(word)).toBe(false)
    expect((await download(doc, '', { dryrun: '1' })).body).toEqual({ dryRun: 'allowed' })
    const { rest: dan } = system.dan
    expect((await download(doc, '', { dryrun: '1' }, dan)).status).toBe(403)
  })
})
