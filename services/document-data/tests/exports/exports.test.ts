import { randomUUID } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { HeaderStyle } from '@sheaf/protos/sheaf/document_data/v1/export'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { planDelimited } from '../../src/export/delimited'
import type { Cell } from '../../src/values/column-type'
import { DAY, sheetRows, takeBytes, TestExports, types, unescaped } from '../support/test-exports'
import { addColumns, buildWorkers, createTable, openStore } from '../support/test-store'

let files: TestExports

beforeAll(async () => {
  files = await TestExports.start()
})
afterAll(() => files[Symbol.asyncDispose]())

const csvRows = (text: string, delimiter = ','): string[][] => parse(text, { delimiter })

describe('a table as delimited text', () => {
  it('shows cells of every type as people see them', async () => {
    expect(csvRows(await files.text('Every'))).toEqual([
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
        '2024-01-15 10:00:00+00:00',
      ],
    ])
  })

  it('quotes only what needs it, doubles quotes, and leaves formulas as they are', async () => {
    const id = await files.instance.clients.createDocument()
    await files.instance.clients.addTable(id, 'T', { A: 'Text', B: 'Text' })
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
    await files.instance.clients.add(
      id,
      'T',
      texts.map((A) => ({ A, B: 'x' })),
    )
    expect(await files.text('T', {}, id)).toBe(
      'A,B\na b,x\n"a,b",x\na\tb,x\n"a""b",x\n"a\nb",x\n"a\rb",x\n=1+1,x\n,x\n a ,x\n"a\u0000,b",x\na;b,x\n',
    )
    const tabs = await files.text('T', { delimiter: '\t' }, id)
    expect(tabs).toContain('\n"a\tb"\tx\n')
    expect(tabs).toContain('\na,b\tx\n')
    expect(await files.text('T', { delimiter: '\u{1F4A9}' }, id)).toMatch(
      /^A\u{1F4A9}B\na b\u{1F4A9}x\n/u,
    )
  })

  it('reads back as it was, whatever stands in it', async () => {
    const id = await files.instance.clients.createDocument()
    await files.instance.clients.addTable(id, 'T', {
      A: 'Text',
      B: 'Any',
      L: 'ChoiceList',
      N: 'Int',
    })
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
          await files.instance.clients.add(id, 'T', added, true)
          const found = csvRows(await files.text('T', { delimiter }, id), delimiter).slice(first)
          first += texts.length
          expect(found.map(([A, B]) => [A, B])).toEqual(texts.map((A) => [A, A]))
          const sheet = (await files.sheets('T', id)).getWorksheet('T')
          const cells = sheetRows(sheet).slice(first - texts.length)
          expect(cells.map(([A, B]) => [A ?? '', B ?? ''].map(unescaped))).toEqual(
            texts.map((A) => [A, A]),
          )
        },
      ),
      { numRuns: 15 },
    )
  })

  it('has labels in its first line unless ids are asked for, and row ids when they are', async () => {
    const id = await files.instance.clients.createDocument()
    await files.instance.clients.addTable(id, 'T', { A: 'Int', B: 'Int' })
    const label = 'x",\n<&>\u202e'
    await files.change(id, 'T', [{ id: 'A', fields: { label, untieColIdFromLabel: true } }])
    await files.instance.clients.add(id, 'T', [
      { A: 1, B: 2 },
      { A: 3, B: 4 },
    ])
    await files.instance.clients.remove(id, 'T', [1])
    const labelled = await files.text('T', { header: HeaderStyle.LABEL }, id)
    expect(csvRows(labelled)).toEqual([
      [label, 'B'],
      ['3', '4'],
    ])
    expect(await files.text('T', { rowIds: true }, id)).toBe('id,A,B\n2,3,4\n')
  })

  it('shows dates, numbers and references as their columns say', async () => {
    const id = await files.instance.clients.createDocument()
    await files.instance.clients.addTable(id, 'P', { Name: 'Text', Born: 'Date' })
    await files.instance.clients.add(id, 'P', [
      { Name: 'Ann, "A"', Born: 0 },
      { Name: '', Born: DAY },
    ])
    await files.instance.clients.addTable(id, 'T', {
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
    const read = await files.instance.clients.columns.listColumns(
      { docId: id, tableId: 'P', hidden: false },
      await files.instance.clients.as(id, 'viewers'),
    )
    const [name = 0, born = 0] = read.columns.map(({ colRef }) => colRef)
    const own = await files.instance.clients.columns.listColumns(
      { docId: id, tableId: 'T', hidden: false },
      await files.instance.clients.as(id, 'viewers'),
    )
    const displayCol = own.columns.at(-1)?.colRef
    const options = (value: object) => ({ widgetOptions: JSON.stringify(value) })
    await files.change(id, 'T', [
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
    await files.instance.clients.add(id, 'T', [
      { D: 0, U: 0, N: 1234.5, M: -0.125, S: 1234567, ...references, Name: 'not this' },
      { R: 9, RL: null, V: 0 },
    ])
    await files.instance.clients.add(id, 'T', [{ R: 2 }, { R: 0 }, { R: 'kept, "text"' }], true)
    const [, first, second, ...rest] = csvRows(await files.text('T', {}, id))
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
    const sheet = sheetRows((await files.sheets('T', id)).getWorksheet('T'))
    expect(sheet[1]?.slice(2)).toEqual([
      ...[1234.5, -0.125, 1234567, 'Ann, "A"', '1970-01-01; 1970-01-02; P[9]', '1', 'not this'],
    ])
  })

  it('is refused for tables, sections and delimiters that are not there', async () => {
    await expect(files.text('Nope')).rejects.toMatchObject({
      code: 'not_found',
      message: 'Table Nope not found.',
    })
    for (const name of ['1', '_grist_Tables', '_sheaf_log', 'every'])
      await expect(files.text(name)).rejects.toMatchObject({ code: 'not_found' })
    await expect(files.text('Every', { delimiter: '"' })).rejects.toMatchObject({
      reason: 'BAD_FIELD',
    })
    const call = await files.instance.clients.as(files.docId, 'viewers')
    const request = { docId: files.docId, tableId: '', header: HeaderStyle.LABEL, viewSection: 9 }
    await expect(takeBytes(files.exports.exportWorkbook(request, call))).rejects.toMatchObject({
      code: 'not_found',
      message: 'No record 9 in table _grist_Views_section',
    })
    const stranger = await files.instance.clients.as(files.docId, 'guests')
    await expect(
      takeBytes(files.exports.exportWorkbook({ ...request, viewSection: 0 }, stranger)),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('an export', () => {
  it('shows one moment, while others write, and tells it by its tag', async () => {
    const { clients } = files.instance
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
        const lines = (await files.text('T', {}, id)).trim().split('\n')
        expect(lines).toHaveLength(5_001)
        expect(lines[1]).toBe(lines[5_000])
        const sheet = sheetRows((await files.sheets('T', id)).getWorksheet('T'))
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
    const first = await files.exports.exportTable(request, call)[Symbol.asyncIterator]().next()
    const etag = (first.value as { etag?: string }).etag ?? ''
    const options = { ifNoneMatch: [etag] }
    for (const again of [
      files.exports.exportTable({ ...request, options }, call),
      files.exports.exportWorkbook({ ...request, options }, call),
      files.exports.exportDocument({ docId: id, noHistory: false, template: false, options }, call),
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
    const { chunks } = await store.readExport(id, plan, { signal: left.signal })
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
