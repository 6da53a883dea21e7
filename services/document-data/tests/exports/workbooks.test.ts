import { join } from 'node:path'
import Database from 'better-sqlite3'
import { HeaderStyle } from '@sheaf/protos/sheaf/document_data/v1/export'
import { sheetRows, TestExports, types, unescaped } from '../support/test-exports'

let files: TestExports

beforeAll(async () => {
  files = await TestExports.start()
})
afterAll(() => files[Symbol.asyncDispose]())

describe('tables as XLSX', () => {
  it('have a sheet each, with cells of every type', async () => {
    const workbook = await files.sheets()
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

  it('of a thousand columns hold every cell in its place, and so does CSV', async () => {
    const id = await files.instance.clients.createDocument()
    const names = Array.from({ length: 1_000 }, (_, i) => `C${i}`)
    const kinds = ['Text', 'Int', 'Bool']
    await files.instance.clients.addTable(
      id,
      'Wide',
      Object.fromEntries(names.map((name, i) => [name, kinds[i % 3] ?? ''])),
    )
    const cell = (row: number, i: number) => [`${row}-${i}`, row * 1_000 + i, row % 2 === 0][i % 3]
    const added = [1, 2, 3].map((row) => names.map((_, i) => cell(row, i)))
    await files.instance.clients.add(
      id,
      'Wide',
      added.map((cells) => Object.fromEntries(cells.map((value, i) => [`C${i}`, value]))),
    )
    const sheet = sheetRows((await files.sheets('Wide', id)).getWorksheet('Wide'))
    expect(sheet).toEqual([names, ...added])
    const text = await files.text('Wide', {}, id)
    expect(text).toBe([names, ...added].map((row) => `${row.join(',')}\n`).join(''))
  })

  it('cut a text that no cell can hold, and say so by an ellipsis', async () => {
    const id = await files.instance.clients.createDocument()
    await files.instance.clients.addTable(id, 'T', { A: 'Text' })
    const fits = 'é'.repeat(32_767)
    await files.instance.clients.add(id, 'T', [
      { A: fits },
      { A: `${'x'.repeat(32_765)}👍 and more` },
    ])
    const cells = sheetRows((await files.sheets('T', id)).getWorksheet('T')).map(([A]) => String(A))
    expect(cells[1]).toBe(fits)
    expect(cells[2]).toBe(`${'x'.repeat(32_765)}…`)
  })

  it('are refused when a table has more rows than a sheet, which CSV has not', async () => {
    const id = await files.instance.clients.createDocument()
    await files.instance.clients.addTable(id, 'Long', { A: 'Int' })
    const file = join(
      files.instance.folder.path,
      'documents',
      id.slice(0, 2),
      id,
      'document.sqlite',
    )
    const db = new Database(file)
    db.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1048576)
      INSERT INTO Long (id) SELECT i FROM n`)
    db.close()
    await expect(files.sheets('Long', id)).rejects.toMatchObject({
      code: 'invalid',
      reason: 'EXPORT_TOO_LARGE',
      message: expect.stringContaining('1048575') as string,
    })
    await files.instance.clients.remove(id, 'Long', [1])
    const call = await files.instance.clients.as(id, 'viewers')
    const request = { docId: id, tableId: 'Long', header: HeaderStyle.LABEL, viewSection: 0 }
    const messages = files.exports.exportWorkbook(request, call)[Symbol.asyncIterator]()
    expect((await messages.next()).done).toBe(false)
    await messages.return?.()
  })
})
