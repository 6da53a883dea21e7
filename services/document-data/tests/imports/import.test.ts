import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cause } from '@sheaf/protos/sheaf/events/v1/changes'
import { eventually } from '@sheaf/testkit/eventually'
import { parse } from 'csv-parse/sync'
import { Workbook } from 'exceljs'
import { ImportInstance } from '../support/import-instance'
import { buildWorkers } from '../support/test-store'

const data = join(__dirname, '../../../../tests/data')

describe('an import', () => {
  let imports: ImportInstance
  beforeAll(async () => {
    buildWorkers()
    imports = await ImportInstance.start()
  })
  afterAll(() => imports[Symbol.asyncDispose]())

  it.each<[string, string]>([
    ['a column', String.raw`[{"a\u0000b": 1}]`],
    ['a table', String.raw`{"a\u0000b": [{"c": 1}]}`],
  ])('with NUL in the name of %s is refused', (_, json) =>
    imports.expectRefused('t.json', json, {
      reason: 'BAD_IMPORT_FILE',
      message: /^table "\w*": a name must not contain NUL$/,
    }),
  )

  it('makes a table of a CSV file, with a type for every column', async () => {
    const made = await imports.import(
      'My people.csv',
      'Name,Age,Weight,Member,Born,Seen,Code,,Name\r\n' +
        '"Ann, ""A""",31,60.5,true,1990-01-31,2024-02-03 04:05,007,x,$1.50\r\n' +
        'Bob,,71,FALSE,1991-12-01,2024-02-04 00:00,12,,$20\r\n',
    )
    expect(made.tables).toEqual([{ id: 'My_people', rows: 2 }])
    expect(await imports.columns(made, 'My_people')).toEqual([
      ['Name', 'Name', 'Text'],
      ['Age', 'Age', 'Int'],
      ['Weight', 'Weight', 'Numeric'],
      ['Member', 'Member', 'Bool'],
      ['Born', 'Born', 'Date'],
      ['Seen', 'Seen', 'DateTime:UTC'],
      ['Code', 'Code', 'Text'],
      ['A', 'A', 'Text'],
      ['Name2', 'Name', 'Numeric'],
    ])
    expect(await imports.rows(made, 'My_people')).toEqual([
      {
        Name: 'Ann, "A"',
        Age: 31,
        Weight: 60.5,
        Member: true,
        Born: Date.UTC(1990, 0, 31) / 1000,
        Seen: Date.UTC(2024, 1, 3, 4, 5) / 1000,
        Code: '007',
        A: 'x',
        Name2: 1.5,
      },
      {
        Name: 'Bob',
        Age: null,
        Weight: 71,
        Member: false,
        Born: Date.UTC(1991, 11, 1) / 1000,
        Seen: Date.UTC(2024, 1, 4) / 1000,
        Code: '12',
        A: '',
        Name2: 20,
      },
    ])
    const { seq } = await imports.instance.clients.readText(made.docId, 'My_people')
    expect(seq).toBe(1)
    await eventually(() => imports.instance.service.backlog() === 0)
    await imports.instance.clients.add(made.docId, 'My_people', [{ Name: 'Cid' }])
    expect(await imports.rows(made, 'My_people')).toHaveLength(3)
  })

  it('takes rows that are shorter or longer than the header, and leaves out blank lines', async () => {
    const made = await imports.import('ragged.tsv', 'a\tb\n\n1\n2\t3\t4\n')
    expect(await imports.rows(made, 'Ragged')).toEqual([
      { a: 1, b: null, C: null },
      { a: 2, b: 3, C: 4 },
    ])
  })

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffname;n\nÄöü€;1\n')],
    ['UTF-16', Buffer.from('\ufeffname;n\nÄöü€;1\n', 'utf16le')],
    ['UTF-16, big-endian', Buffer.from('\ufeffname;n\nÄöü€;1\n', 'utf16le').swap16()],
    ['Windows-1252', Buffer.from('name;n\n\xc4\xf6\xfc\x80;1\n', 'latin1')],
  ])('reads %s', async (_, bytes) => {
    const made = await imports.import('t.csv', bytes)
    expect(await imports.rows(made, 'T')).toEqual([{ name: 'Äöü€', n: 1 }])
  })

  it.each(['country-codes.csv', 'world-cities.csv'])('stores all of %s', async (name) => {
    const bytes = readFileSync(join(data, name))
    const [header = [], ...records] = parse(bytes, { bom: true })
    const made = await imports.import(name, bytes)
    const [table = { id: '', rows: 0 }] = made.tables
    expect(table.rows).toBe(records.length)
    const columns = await imports.columns(made, table.id)
    expect(columns.map(([, label]) => label)).toEqual(header)
    const rows = await imports.rows(made, table.id)
    const shown = rows.map((row) =>
      columns.map(([id]) => {
        const value = row[id] ?? ''
        return typeof value === 'string' ? value : JSON.stringify(value)
      }),
    )
    const numeric = columns.map(([, , type]) => /Int|Numeric/.test(type))
    const wanted = records.map((record) =>
      record.map((cell, i) => (numeric[i] && cell !== '' ? String(Number(cell)) : cell)),
    )
    expect(shown).toEqual(wanted)
  })

  it('takes every sheet of a workbook as a table, with dates, texts and formulas’ values', async () => {
    const workbook = new Workbook()
    const sheet = workbook.addWorksheet('Sales 2024')
    sheet.addRow(['Day', 'Amount', 'Who', 'Paid', 'At', 'Note'])
    const day = new Date(Date.UTC(2024, 0, 31))
    const at = new Date(Date.UTC(2024, 0, 31, 13, 45))
    sheet.addRow([day, 12.5, 'Ann', true, at, { richText: [{ text: 'very ' }, { text: 'good' }] }])
    sheet.addRow([])
    sheet.addRow([day, { formula: '1+1', result: 2 }, 'Bob', false, at, 'a\r\nb'])
    workbook.addWorksheet('Empty')
    workbook.addWorksheet('Notes').addRows([['n'], [1], [2]])
    const bytes = Buffer.from(await workbook.xlsx.writeBuffer())
    const made = await imports.import('book.xlsx', bytes)
    expect(made.tables).toEqual([
      { id: 'Sales_2024', rows: 2 },
      { id: 'Notes', rows: 2 },
    ])
    const types = (await imports.columns(made, 'Sales_2024')).map(([, , type]) => type)
    expect(types).toEqual(['Date', 'Numeric', 'Text', 'Bool', 'DateTime:UTC', 'Text'])
    const [Day, At] = [day.getTime() / 1000, at.getTime() / 1000]
    expect(await imports.rows(made, 'Sales_2024')).toEqual([
      { Day, Amount: 12.5, Who: 'Ann', Paid: true, At, Note: 'very good' },
      {
        Day,
        Amount: 2,
        Who: 'Bob',
        Paid: false,
        At,
        Note: expect.stringMatching(/^a\r?\nb$/) as string,
      },
    ])
  })

  it.each([
    [
      'a list',
      [
        { a: 1, b: 'x' },
        { b: 'y', c: [1, { d: 2 }] },
      ],
      'Things',
    ],
    [
      'records as the API gives them',
      {
        records: [
          { id: 7, fields: { a: 1, b: 'x' } },
          { id: 8, fields: { b: 'y', c: [1, { d: 2 }] } },
        ],
      },
      'Things',
    ],
    [
      'lists by their names',
      {
        other: [
          { a: 1, b: 'x' },
          { b: 'y', c: [1, { d: 2 }] },
        ],
        none: [],
      },
      'Other',
    ],
  ])('makes tables of JSON: %s', async (_, value, tableId) => {
    const made = await imports.import('things.json', JSON.stringify(value))
    expect(made.tables[0]).toEqual({ id: tableId, rows: 2 })
    expect(await imports.rows(made, tableId)).toEqual([
      { a: 1, b: 'x', c: '' },
      { a: null, b: 'y', c: '[1,{"d":2}]' },
    ])
  })

  it('keeps numbers of JSON that no double holds as they are written', async () => {
    const made = await imports.import(
      'long.json',
      '[{"id":12345678901234567890,"big":1e400,"small":1e-400,"n":1e5,"list":[98765432109876543210]},' +
        '{"id":1,"big":2,"small":0.5,"n":-0,"list":[]}]',
    )
    expect(await imports.rows(made, 'Long')).toEqual([
      {
        id2: '12345678901234567890',
        big: '1e400',
        small: '1e-400',
        n: 100_000,
        list: '["98765432109876543210"]',
      },
      { id2: '1', big: '2', small: '0.5', n: 0, list: '[]' },
    ])
  })

  it('is one change, which stands for all of it and cannot be undone, and what comes after it can', async () => {
    const made = await imports.import('undone.csv', 'n\n1\n2\n')
    const { docId } = made
    const { clients } = imports.instance
    const seq = await clients.update(docId, 'Undone', [{ id: 1, fields: { n: 5 } }])
    const editor = await clients.as(docId, 'editors')
    const listed = { docId, tableId: '', rowId: 0, keyId: 0, beforeSeq: 0, limit: 0 }
    const { changes } = await clients.history.listHistory(listed, editor)
    expect(changes.map((change) => [change.seq, change.cause, change.operations.length])).toEqual([
      [seq, Cause.API, 1],
      [1, Cause.IMPORT, 0],
    ])
    const first = clients.history.revertChange({ docId, seq: 1 }, editor)
    await expect(first).rejects.toMatchObject({ code: 'invalid', reason: 'NOT_REVERTIBLE' })
    await clients.history.revertChange({ docId, seq }, editor)
    expect(await imports.rows(made, 'Undone')).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('cuts no label in the middle of a character', async () => {
    const made = await imports.import('cut.csv', `${'x'.repeat(499)}😀,b\n1,2\n`)
    const [[, label] = []] = await imports.columns(made, 'Cut')
    expect(label).toBe('x'.repeat(499))
  })

  it('tells how far it is', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `${i},text ${i}`)
    const made = await imports.import('many.csv', `n,t\n${lines.join('\n')}\n`)
    expect(made.tables).toEqual([{ id: 'Many', rows: 60_000 }])
    expect(made.progress.length).toBeGreaterThan(0)
    const total = made.progress.map(({ rowsRead, rowsStored }) => rowsRead + rowsStored)
    expect(total).toEqual([...total].sort((a, b) => a - b))
  })
})
