import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import ExcelJS from 'exceljs'
import fc from 'fast-check'
import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { ExportServiceClientImpl, HeaderStyle } from '@sheaf/protos/sheaf/document_data/v1/export'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc-client'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { planDelimited } from '../src/export/delimited'
import type { Cell } from '../src/values/column-type'
import { TestInstance } from './test-instance'
import { addColumns, buildWorkers, createTable, openStore } from './test-store'

const DAY = 86_400

/** One column of every type. */
const types = {
  T: 'Text',
  N: 'Numeric',
  I: 'Int',
  B: 'Bool',
  D: 'Date',
  U: 'DateTime:UTC',
  Z: 'DateTime:America/New_York',
  C: 'Choice',
  L: 'ChoiceList',
  R: 'Ref:People',
  RL: 'RefList:People',
  A: 'Attachments',
  Y: 'Any',
}
const rows = [
  {
    T: 'plain',
    N: 0.1,
    I: -7,
    B: true,
    D: 19_737 * DAY,
    U: 1_705_312_800,
    Z: 1_705_312_800,
    C: 'red',
    L: ['L', 'a', 'b'],
    R: 1,
    RL: ['L', 1, 2],
    A: ['L', 3],
    Y: 5,
  },
  {
    T: 'says "hi", twice',
    N: 1e21,
    I: 0,
    B: false,
    D: -DAY * 40_000,
    U: 0.5,
    Z: 0,
    C: '',
    L: ['L', 'x, y', 'q"q'],
    R: 0,
    RL: null,
    A: null,
    Y: ['L', 1, 'b', true],
  },
  { T: 'line\nbreak\r', N: 1 / 3, B: null, Y: ['d', 19_737 * DAY] },
  {
    T: 'no number <&> \u0001 _x0041_',
    N: 'many',
    I: 'some',
    B: 'maybe',
    D: 'soon',
    R: 'who',
    Y: true,
  },
  { T: null, L: 'no list', RL: 'nobody', Y: ['D', 1_705_312_800, 'UTC'] },
]

let instance: TestInstance
let channel: GrpcChannel
let exports: ExportServiceClientImpl
let docId = ''

beforeAll(async () => {
  buildWorkers()
  instance = await TestInstance.start()
  const { clients } = instance
  channel = openChannel({ address: instance.service.address })
  exports = new ExportServiceClientImpl(channel)
  docId = await clients.createDocument()
  await clients.addTable(docId, 'People', { Name: 'Text', Age: 'Int' })
  await clients.add(docId, 'People', [
    { Name: 'Ann', Age: 7 },
    { Name: 'Bo, "B"', Age: 8 },
  ])
  await clients.addTable(docId, 'Every', types)
  await addRows('Every', rows)
})

afterAll(async () => {
  await channel[Symbol.asyncDispose]()
  await instance[Symbol.asyncDispose]()
})

/** One by one, because each row names other columns. */
async function addRows(tableId: string, all: readonly object[]): Promise<void> {
  for (const row of all) await instance.clients.add(docId, tableId, [row], true)
}

const takeBytes = async (messages: AsyncIterable<{ chunk: Buffer }>) => {
  const chunks: Buffer[] = []
  for await (const { chunk } of messages) chunks.push(chunk)
  return Buffer.concat(chunks)
}

interface Asked {
  readonly header?: HeaderStyle
  readonly delimiter?: string
  readonly rowIds?: boolean
}

async function exportText(tableId: string, asked: Asked = {}, id = docId): Promise<string> {
  const request = {
    docId: id,
    tableId,
    header: HeaderStyle.COL_ID,
    delimiter: ',',
    rowIds: false,
    standard: false,
    viewSection: 0,
    ...asked,
  }
  const bytes = await takeBytes(
    exports.exportTable(request, await instance.clients.as(id, 'viewers')),
  )
  return bytes.toString()
}

async function exportSheets(tableId = '', id = docId): Promise<ExcelJS.Workbook> {
  const request = { docId: id, tableId, header: HeaderStyle.COL_ID, viewSection: 0 }
  const call = await instance.clients.as(id, 'viewers')
  const workbook = new ExcelJS.Workbook()
  const bytes = await takeBytes(exports.exportWorkbook(request, call))
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer)
  return workbook
}

/** Changes columns of a table; fields as the protos name them. */
async function change(
  id: string,
  tableId: string,
  columns: readonly { id: string; fields: object }[],
): Promise<void> {
  const request = {
    docId: id,
    tableId,
    columns: columns.map((column) => ColumnUpdate.fromPartial(column)),
  }
  await instance.clients.columns.updateColumns(request, await instance.clients.as(id, 'editors'))
}

const csvRows = (text: string, delimiter = ',') => parse(text, { delimiter }) as string[][]

/** The rows of a sheet as plain values: dates as ISO text, blanks as null. */
function sheetRows(sheet: ExcelJS.Worksheet | undefined): unknown[][] {
  const width = sheet?.columnCount ?? 0
  const found: unknown[][] = []
  sheet?.eachRow((row) => {
    const cells = Array.from({ length: width }, (_, i) => row.getCell(i + 1).value)
    found.push(cells.map((cell) => (cell instanceof Date ? cell.toISOString() : cell)))
  })
  return found
}

/** The text that a cell means where the format has it escaped, which this reader leaves to its caller. */
const unescaped = (text: unknown) =>
  String(text ?? '').replace(/_x([0-9A-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )

describe('a table as delimited text', () => {
  it('shows cells of every type as people see them', async () => {
    expect(csvRows(await exportText('Every'))).toEqual([
      Object.keys(types),
      [
        ...['plain', '0.1', '-7', 'true', '2024-01-15', '2024-01-15 10:00am', '2024-01-15 5:00am'],
        ...['red', 'a, b', 'People[1]', 'People[1], People[2]', '3', '5'],
      ],
      [
        ...['says "hi", twice', '1000000000000000000000', '0', 'false', '1860-06-26'],
        ...['1970-01-01 12:00am', '1969-12-31 7:00pm', '', '"x, y", "q""q"', '', '', ''],
        '1, b, true',
      ],
      ['line\nbreak\r', '0.3333333333', '0', 'false', ...Array(8).fill(''), '2024-01-15'],
      [
        ...['no number <&> \u0001 _x0041_', 'many', 'some', 'maybe', 'soon', '', '', '', ''],
        ...['who', '', '', 'true'],
      ],
      [
        ...['', '0', '0', 'false', '', '', '', '', 'no list', '', 'nobody', ''],
        '2024-01-15 10:00am',
      ],
    ])
  })

  it('quotes only what needs it, doubles quotes, and leaves formulas as they are', async () => {
    const id = await instance.clients.createDocument()
    await instance.clients.addTable(id, 'T', { A: 'Text', B: 'Text' })
    const texts = [
      'a b',
      'a,b',
      'a\tb',
      'a"b',
      'a\nb',
      'a\rb',
      '=1+1',
      '',
      ' a ',
      'a\u0000,b',
      'a;b',
    ]
    await instance.clients.add(
      id,
      'T',
      texts.map((A) => ({ A, B: 'x' })),
    )
    expect(await exportText('T', {}, id)).toBe(
      'A,B\na b,x\n"a,b",x\na\tb,x\n"a""b",x\n"a\nb",x\n"a\rb",x\n=1+1,x\n,x\n a ,x\n"a\u0000,b",x\na;b,x\n',
    )
    const tabs = await exportText('T', { delimiter: '\t' }, id)
    expect(tabs).toContain('\n"a\tb"\tx\n')
    expect(tabs).toContain('\na,b\tx\n')
    expect(await exportText('T', { delimiter: '\u{1F4A9}' }, id)).toMatch(
      /^A\u{1F4A9}B\na b\u{1F4A9}x\n/u,
    )
  })

  it('reads back as it was, whatever stands in it', async () => {
    const id = await instance.clients.createDocument()
    await instance.clients.addTable(id, 'T', { A: 'Text', B: 'Any', L: 'ChoiceList', N: 'Int' })
    const piece = fc.constantFrom(
      ',',
      '"',
      '\n',
      '\r',
      '\t',
      '\u{1F4A9}',
      'a',
      '_x0041_',
      '<&>',
      ' ',
      '=',
      'é',
    )
    const text = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''))
    let first = 1
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 20 }),
        fc.constantFrom(',', '\t', ';', '|', '\u{1F4A9}'),
        async (texts, delimiter) => {
          const added = texts.map((A) => ({ A, B: A, L: ['L', A], N: 1 }))
          await instance.clients.add(id, 'T', added, true)
          const found = csvRows(await exportText('T', { delimiter }, id), delimiter).slice(first)
          first += texts.length
          expect(found.map(([A, B]) => [A, B])).toEqual(texts.map((A) => [A, A]))
          const sheet = (await exportSheets('T', id)).getWorksheet('T')
          const cells = sheetRows(sheet).slice(first - texts.length)
          expect(cells.map(([A, B]) => [A, B].map(unescaped))).toEqual(texts.map((A) => [A, A]))
        },
      ),
      { numRuns: 15 },
    )
  })

  it('has labels in its first line unless ids are asked for, and row ids when they are', async () => {
    const id = await instance.clients.createDocument()
    await instance.clients.addTable(id, 'T', { A: 'Int', B: 'Int' })
    const label = 'x",\n<&>\u202e'
    await change(id, 'T', [{ id: 'A', fields: { label, untieColIdFromLabel: true } }])
    await instance.clients.add(id, 'T', [
      { A: 1, B: 2 },
      { A: 3, B: 4 },
    ])
    await instance.clients.remove(id, 'T', [1])
    const labelled = await exportText('T', { header: HeaderStyle.LABEL }, id)
    expect(csvRows(labelled)).toEqual([
      [label, 'B'],
      ['3', '4'],
    ])
    expect(await exportText('T', { rowIds: true }, id)).toBe('id,A,B\n2,3,4\n')
  })

  it('shows dates, numbers and references as their columns say', async () => {
    const id = await instance.clients.createDocument()
    await instance.clients.addTable(id, 'P', { Name: 'Text', Born: 'Date' })
    await instance.clients.add(id, 'P', [
      { Name: 'Ann, "A"', Born: 0 },
      { Name: '', Born: DAY },
    ])
    await instance.clients.addTable(id, 'T', {
      D: 'Date',
      U: 'DateTime:Asia/Tokyo',
      N: 'Numeric',
      M: 'Numeric',
      S: 'Int',
      R: 'Ref:P',
      RL: 'RefList:P',
      V: 'Ref:P',
      Name: 'Text',
    })
    const read = await instance.clients.columns.listColumns(
      { docId: id, tableId: 'P', hidden: false },
      await instance.clients.as(id, 'viewers'),
    )
    const [name = 0, born = 0] = read.columns.map(({ colRef }) => colRef)
    const own = await instance.clients.columns.listColumns(
      { docId: id, tableId: 'T', hidden: false },
      await instance.clients.as(id, 'viewers'),
    )
    const displayCol = own.columns.at(-1)?.colRef
    const options = (value: object) => ({ widgetOptions: JSON.stringify(value) })
    await change(id, 'T', [
      { id: 'D', fields: options({ dateFormat: 'MMMM Do, YYYY' }) },
      { id: 'U', fields: options({ dateFormat: 'DD.MM.YY', timeFormat: 'HH:mm:ss z' }) },
      { id: 'N', fields: options({ numMode: 'currency', currency: 'EUR' }) },
      { id: 'M', fields: options({ numMode: 'percent', decimals: 1, numSign: 'parens' }) },
      { id: 'S', fields: options({ numMode: 'decimal' }) },
      { id: 'R', fields: { visibleCol: name, displayCol } },
      { id: 'RL', fields: { visibleCol: born, displayCol } },
      { id: 'V', fields: { visibleCol: name } },
    ])
    const references = { R: 1, RL: ['L', 1, 2, 9], V: 1 }
    await instance.clients.add(id, 'T', [
      { D: 0, U: 0, N: 1234.5, M: -0.125, S: 1234567, ...references, Name: 'not this' },
      { R: 9, RL: null, V: 0 },
    ])
    await instance.clients.add(id, 'T', [{ R: 2 }, { R: 0 }, { R: 'kept, "text"' }], true)
    const [, first, second, ...rest] = csvRows(await exportText('T', {}, id))
    expect(first?.slice(0, 5)).toEqual([
      'January 1st, 1970',
      '01.01.70 09:00:00 GMT+9',
      '€1,234.50',
      '(12.5%)',
      '1,234,567',
    ])
    expect(first?.slice(5)).toEqual(['Ann, "A"', '1970-01-01, 1970-01-02, P[9]', '1', 'not this'])
    expect(second?.slice(5, 8)).toEqual(['P[9]', '', '0'])
    expect(rest.map((row) => row[5])).toEqual(['', '', 'kept, "text"'])
    const sheet = sheetRows((await exportSheets('T', id)).getWorksheet('T'))
    expect(sheet[1]?.slice(2)).toEqual([
      ...[1234.5, -0.125, 1234567, 'Ann, "A"', '1970-01-01; 1970-01-02; P[9]', '1', 'not this'],
    ])
  })

  it('is refused for tables, sections and delimiters that are not there', async () => {
    await expect(exportText('Nope')).rejects.toMatchObject({
      code: 'not_found',
      message: 'Table Nope not found.',
    })
    for (const name of ['1', '_grist_Tables', '_sheaf_log', 'every'])
      await expect(exportText(name)).rejects.toMatchObject({ code: 'not_found' })
    await expect(exportText('Every', { delimiter: '"' })).rejects.toMatchObject({
      reason: 'BAD_FIELD',
    })
    const call = await instance.clients.as(docId, 'viewers')
    const request = { docId, tableId: '', header: HeaderStyle.LABEL, viewSection: 9 }
    await expect(takeBytes(exports.exportWorkbook(request, call))).rejects.toMatchObject({
      code: 'not_found',
      message: 'No record 9 in table _grist_Views_section',
    })
    const stranger = await instance.clients.as(docId, 'guests')
    await expect(
      takeBytes(exports.exportWorkbook({ ...request, viewSection: 0 }, stranger)),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('tables as XLSX', () => {
  it('have a sheet each, with cells of every type', async () => {
    const workbook = await exportSheets()
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(['Table1', 'People', 'Every'])
    const [heads, ...cells] = sheetRows(workbook.getWorksheet('Every'))
    expect(heads).toEqual(Object.keys(types))
    expect(
      cells.map((row) => row.map((cell) => (typeof cell === 'string' ? unescaped(cell) : cell))),
    ).toEqual([
      [
        ...['plain', 0.1, -7, true, '2024-01-15T00:00:00.000Z', '2024-01-15T10:00:00.000Z'],
        ...['2024-01-15T05:00:00.000Z', 'red', 'a; b', '1', '1, 2', '3', 5],
      ],
      [
        // No program agrees with another on dates before 1900: they are text.
        ...['says "hi", twice', 1e21, 0, false, '1860-06-26', '1970-01-01T00:00:00.500Z'],
        ...['1969-12-31T19:00:00.000Z', null, 'x, y; "q""q"', '0', null, null, '1, b, true'],
      ],
      [
        'line\nbreak\r',
        1 / 3,
        0,
        false,
        ...Array(5).fill(null),
        '0',
        null,
        null,
        '2024-01-15T00:00:00.000Z',
      ],
      [
        ...[
          'no number <&> \u0001 _x0041_',
          'many',
          'some',
          'maybe',
          'soon',
          null,
          null,
          null,
          null,
        ],
        ...['who', null, null, true],
      ],
      [
        ...[null, 0, 0, false, null, null, null, null, 'no list', '0', 'nobody', null],
        '2024-01-15T10:00:00.000Z',
      ],
    ])
    const formats = [5, 6].map((n) => workbook.getWorksheet('Every')?.getRow(2).getCell(n).numFmt)
    expect(formats).toEqual(['yyyy-mm-dd', 'yyyy-mm-dd h:mm am/pm'])
  })

  it('cut a text that no cell can hold, and say so by an ellipsis', async () => {
    const id = await instance.clients.createDocument()
    await instance.clients.addTable(id, 'T', { A: 'Text' })
    const fits = 'é'.repeat(32_767)
    await instance.clients.add(id, 'T', [{ A: fits }, { A: `${'x'.repeat(32_765)}👍 and more` }])
    const cells = sheetRows((await exportSheets('T', id)).getWorksheet('T')).map(([A]) => String(A))
    expect(cells[1]).toBe(fits)
    expect(cells[2]).toBe(`${'x'.repeat(32_765)}…`)
  })

  it('are refused when a table has more rows than a sheet, which CSV has not', async () => {
    const id = await instance.clients.createDocument()
    await instance.clients.addTable(id, 'Long', { A: 'Int' })
    const file = join(instance.folder.path, 'documents', id.slice(0, 2), id, 'document.sqlite')
    const db = new Database(file)
    db.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1048576)
      INSERT INTO Long (id) SELECT i FROM n`)
    db.close()
    await expect(exportSheets('Long', id)).rejects.toMatchObject({
      code: 'invalid',
      reason: 'EXPORT_TOO_LARGE',
      message: expect.stringContaining('1048575') as string,
    })
    await instance.clients.remove(id, 'Long', [1])
    const call = await instance.clients.as(id, 'viewers')
    const request = { docId: id, tableId: 'Long', header: HeaderStyle.LABEL, viewSection: 0 }
    const messages = exports.exportWorkbook(request, call)[Symbol.asyncIterator]()
    expect((await messages.next()).done).toBe(false)
    await messages.return?.()
  })
})

describe('an export', () => {
  it('shows one moment, while others write, and tells it by its tag', async () => {
    const { clients } = instance
    const id = await clients.createDocument()
    await clients.addTable(id, 'T', { A: 'Text' })
    await clients.add(
      id,
      'T',
      Array.from({ length: 5_000 }, () => ({ A: 'old' })),
    )
    const ids = [1, 5_000]
    let running = true
    const writing = (async () => {
      for (let i = 0; running; i++)
        await clients.update(
          id,
          'T',
          ids.map((row) => ({ id: row, fields: { A: `turn ${i}` } })),
        )
    })()
    try {
      for (let taken = 0; taken < 4; taken++) {
        const lines = (await exportText('T', {}, id)).trim().split('\n')
        expect(lines).toHaveLength(5_001)
        expect(lines[1]).toBe(lines[5_000])
        const sheet = sheetRows((await exportSheets('T', id)).getWorksheet('T'))
        expect(sheet[1]).toEqual(sheet[5_000])
      }
    } finally {
      running = false
      await writing
    }
    const call = await clients.as(id, 'viewers')
    const request = {
      docId: id,
      tableId: 'T',
      header: 0,
      delimiter: ',',
      rowIds: false,
      standard: false,
      viewSection: 0,
    }
    const first = await exports.exportTable(request, call)[Symbol.asyncIterator]().next()
    const etag = (first.value as { etag?: string }).etag ?? ''
    const options = { ifNoneMatch: [etag] }
    for (const again of [
      exports.exportTable({ ...request, options }, call),
      exports.exportWorkbook({ ...request, options }, call),
      exports.exportDocument({ docId: id, noHistory: false, template: false, options }, call),
    ])
      for await (const message of again)
        expect(message).toMatchObject({ notModified: true, etag, chunk: Buffer.alloc(0) })
  })

  it('ends when its reader goes away, and gives back what it held', async () => {
    buildWorkers()
    await using folder = await tempDir()
    await using store = await openStore(folder.path)
    const id = await createTable(store, 'Big', { T: 'Text' })
    const texts = Array.from({ length: 20_000 }, (_, i) => `row ${i}`)
    await addColumns(store, id, 'Big', new Map([['T', texts]]))
    const plan = (schema: Parameters<Parameters<typeof store.readExport>[1]>[0]) =>
      planDelimited(schema, schema.get('Big'), {
        delimiter: ',',
        header: 'colId',
        rowIds: true,
        standard: false,
      })
    const left = new AbortController()
    const { chunks } = await store.readExport(id, plan, left.signal)
    const taking = (async () => {
      for await (const chunk of chunks) if (chunk.length > 10) left.abort()
    })()
    await expect(taking).rejects.toMatchObject({ reason: 'CALL_ENDED' })
    // Sixteen may run at once: each of these begins because the one before has ended.
    for (let i = 0; i < 20; i++) {
      const { chunks: others } = await store.readExport(id, plan)
      for await (const chunk of others) if (chunk.length > 0) break
    }
    await expect(store.readExport(randomUUID(), plan)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is the same without threads', async () => {
    await using folder = await tempDir()
    await using plain = await openStore(folder.path, { workers: 0 })
    const id = await createTable(plain, 'Big', { T: 'Text', L: 'ChoiceList' })
    const cells = Array.from({ length: 4_000 }, (_, i) => ['L', `a${i}`, 'b,c'])
    await addColumns(
      plain,
      id,
      'Big',
      new Map<string, Cell[]>([
        ['T', cells.map(String)],
        ['L', cells],
      ]),
    )
    const text = async (store: typeof plain) => {
      const { chunks } = await store.readExport(id, (schema) =>
        planDelimited(schema, schema.get('Big'), {
          delimiter: '|',
          header: 'colId',
          rowIds: true,
          standard: false,
        }),
      )
      const all: Buffer[] = []
      for await (const chunk of chunks) all.push(chunk)
      return Buffer.concat(all).toString()
    }
    const here = await text(plain)
    expect(here.split('\n')).toHaveLength(4_002)
    await using threaded = await openStore(folder.path)
    expect(await text(threaded)).toBe(here)
  })
})
