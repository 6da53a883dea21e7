import Database from 'better-sqlite3'
import type { PreviewImportResponse } from '@sheaf/protos/sheaf/document_data/v1/import'
import { Workbook } from 'exceljs'
import { ImportInstance } from '../support/import-instance'
import { buildWorkers } from '../support/test-store'

const GERMAN = 'Ware;Preis;Stand\nÄpfel;1.234,50;31.01.2024\nBirnen;0,75;01.02.2024\n'

function shown({ tables }: PreviewImportResponse) {
  return tables.map(({ id, rows, columns, recordsJson }) => ({
    id,
    rows,
    columns: columns.map((column) => [column.id, column.type]),
    cells: (JSON.parse(Buffer.from(recordsJson).toString()) as { fields: object }[]).map(
      ({ fields }) => Object.values(fields) as unknown[],
    ),
  }))
}

describe('a preview of an import', () => {
  let imports: ImportInstance
  beforeAll(async () => {
    buildWorkers()
    imports = await ImportInstance.start()
  })
  afterAll(() => imports[Symbol.asyncDispose]())

  it('detects delimiter, decimal comma and encoding, and shows rows as an import stores them', async () => {
    const bytes = Buffer.from(GERMAN, 'latin1')
    const previewed = await imports.preview('Preise.csv', bytes)
    expect(previewed).toMatchObject({
      format: 'csv',
      hasMore: false,
      options: { delimiter: ';', hasHeader: true, decimal: ',', encoding: 'windows-1252' },
    })
    const days = [Date.UTC(2024, 0, 31) / 1000, Date.UTC(2024, 1, 1) / 1000]
    expect(shown(previewed)).toEqual([
      {
        id: 'Preise',
        rows: 2,
        columns: [
          ['Ware', 'Text'],
          ['Preis', 'Numeric'],
          ['Stand', 'Date'],
        ],
        cells: [
          ['Äpfel', 1234.5, days[0]],
          ['Birnen', 0.75, days[1]],
        ],
      },
    ])
    const made = await imports.import('Preise.csv', bytes)
    const rows = await imports.rows(made, 'Preise')
    expect(rows.map((row) => Object.values(row))).toEqual(shown(previewed)[0]?.cells)
  })

  it('of a beginning that ends within a character is not taken for another encoding', async () => {
    const bytes = Buffer.from('Ort\nKöln\nZürich\n')
    const part = bytes.subarray(0, bytes.indexOf('ü') + 1)
    const previewed = await imports.preview('Orte.csv', part, {}, true)
    expect(previewed.options).toMatchObject({ encoding: 'utf-8' })
    expect(shown(previewed)).toMatchObject([{ rows: 1, cells: [['Köln']] }])
  })

  it('keeps nothing', async () => {
    const before = await imports.remains()
    await imports.preview('a.csv', 'a\n1\n')
    expect(await imports.remains()).toEqual({ ...before, unfinished: 0 })
  })

  it('follows the options, as the import does', async () => {
    const text = '1;2,5\n3;4,5\n'
    const options = {
      delimiter: ';',
      hasHeader: false,
      decimal: '.',
      types: [{ tableId: 'N', columnId: 'A', type: 'Text' }],
    }
    const previewed = await imports.preview('n.csv', text, options)
    expect(shown(previewed)).toEqual([
      {
        id: 'N',
        rows: 2,
        columns: [
          ['A', 'Text'],
          ['B', 'Text'],
        ],
        cells: [
          ['1', '2,5'],
          ['3', '4,5'],
        ],
      },
    ])
    const made = await imports.import('n.csv', text, options)
    expect(await imports.rows(made, 'N')).toEqual([
      { A: '1', B: '2,5' },
      { A: '3', B: '4,5' },
    ])
    const commas = await imports.import('n.csv', 'a:b\n1,5:2\n', { delimiter: ':', decimal: ',' })
    expect(await imports.rows(commas, 'N')).toEqual([{ a: 1.5, b: 2 }])
  })

  it('reads a chosen type from the text of its cells', async () => {
    const types = [
      { tableId: 'T', columnId: 'Code', type: 'Text' },
      { tableId: 'T', columnId: 'Day', type: 'Date' },
      { tableId: 'T', columnId: 'Empty', type: 'Numeric' },
    ]
    const previewed = await imports.preview('t.csv', 'Code,Day,Empty\n1.50,01/02/2024,\n', {
      types,
    })
    expect(shown(previewed)[0]?.cells).toEqual([['1.50', Date.UTC(2024, 0, 2) / 1000, null]])
  })

  it('shows 20 rows of each table and counts all', async () => {
    const workbook = new Workbook()
    for (const name of ['One', 'Two']) {
      const sheet = workbook.addWorksheet(name)
      for (let i = 0; i < 50; i++) sheet.addRow([i, `text ${i}`])
    }
    const bytes = Buffer.from(await workbook.xlsx.writeBuffer())
    const tables = shown(await imports.preview('b.xlsx', bytes, { hasHeader: false }))
    expect(tables).toMatchObject([
      {
        id: 'One',
        rows: 50,
        columns: [
          ['A', 'Int'],
          ['B', 'Text'],
        ],
      },
      { id: 'Two', rows: 50 },
    ])
    for (const { cells } of tables) expect(cells).toHaveLength(20)
  })

  it('leaves out the last row of the beginning of a file, which may be cut', async () => {
    for (const [text, rows] of [
      ['a,b\n1,2\n3,4\n5,', 2],
      ['a,b\n1,2\n3,"x\ny', 1],
      ['a,b\n1,2\n3,4\n', 1],
    ] as const) {
      const previewed = await imports.preview('a.csv', text, {}, true)
      expect(previewed).toMatchObject({ hasMore: true, tables: [{ rows }] })
    }
  })

  it('shows the tables of a SQLite file, and what would be left out', async () => {
    const db = new Database(':memory:')
    db.exec(`CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, age INT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
      INSERT INTO people SELECT i, 'p' || i, i FROM n;
      CREATE VIEW v AS SELECT 1;`)
    const bytes = db.serialize()
    db.close()
    const types = [{ tableId: 'People', columnId: 'age', type: 'Text' }]
    const previewed = await imports.preview('x.db', bytes, { types })
    expect(previewed).toMatchObject({ format: 'sqlite', notes: ['left out: view "v"'] })
    const [table] = shown(previewed)
    expect(table).toMatchObject({
      rows: 30,
      columns: [
        ['name', 'Text'],
        ['age', 'Text'],
      ],
    })
    expect(table?.cells).toHaveLength(20)
    expect(table?.cells[0]).toEqual(['p1', '1'])
  })

  it.each<[string, Parameters<ImportInstance['preview']>[2], RegExp]>([
    ['delimiter', { delimiter: 'ab' }, /^options\.delimiter must be one character/],
    ['decimal', { decimal: ';' }, /^options\.decimal must be/],
    ['encoding', { encoding: 'utf-7' }, /^options\.encoding must be one of/],
    [
      'type',
      { types: [{ tableId: 'A', columnId: 'a', type: 'Ref:A' }] },
      /^options\.types must only contain the types Text, /,
    ],
    ['column', { types: [{ tableId: 'A', columnId: 'x', type: 'Int' }] }, /unknown column "x"/],
    ['table', { types: [{ tableId: 'B', columnId: 'x', type: 'Int' }] }, /unknown table "B"/],
  ])('refuses a bad %s by name', async (_, options, message) => {
    const refused = { reason: 'BAD_FIELD', message: expect.stringMatching(message) as string }
    await expect(imports.preview('a.csv', 'a\n1\n', options)).rejects.toMatchObject(refused)
  })
})
