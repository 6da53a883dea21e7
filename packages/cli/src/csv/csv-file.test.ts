import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { readCsv, type CsvOptions } from './csv-file'

describe('readCsv', () => {
  let folder: string
  let file: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-csv-'))
    file = join(folder, 'data.csv')
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function read(content: string | Buffer, options?: CsvOptions): Promise<string[][]> {
    await writeFile(file, content)
    const rows: string[][] = []
    for await (const { cells } of readCsv(file, options)) rows.push([...cells])
    return rows
  }

  it.each([
    [
      'a plain file',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no newline at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a byte order mark',
      '\ufeffa,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a byte order mark before a quote',
      '\ufeff"a",b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'quotes',
      '"a ""x""","b\nc"\n"1,5",\n',
      [
        ['a "x"', 'b\nc'],
        ['1,5', ''],
      ],
    ],
    [
      'blank lines',
      'a,b\n\n1,2\n\n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['empty cells of a single column', 'a\n\n1\n', [['a'], [''], ['1']]],
    [
      'odd headers',
      'a,a,,"x,y"\n1,2,3,4\n',
      [
        ['a', 'a', '', 'x,y'],
        ['1', '2', '3', '4'],
      ],
    ],
    [
      'semicolons',
      '"a,x";b\n1,5;2\n',
      [
        ['a,x', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'tabs',
      'a\tb\n1\t2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'other scripts',
      'नाम,城市\n東京,Ġ\n',
      [
        ['नाम', '城市'],
        ['東京', 'Ġ'],
      ],
    ],
    ['a header alone', 'a,b\n', [['a', 'b']]],
  ])('reads %s', async (_, content, rows) => expect(await read(content)).toEqual(rows))

  it('reads UTF-16', async () => {
    const content = Buffer.from('\ufeffa,b\r\né,2\r\n', 'utf16le')
    expect(await read(content)).toEqual([
      ['a', 'b'],
      ['é', '2'],
    ])
  })

  it('takes the separator that is given', async () => {
    expect(await read('a|b,c\n1|2\n', { delimiter: '|' })).toEqual([
      ['a', 'b,c'],
      ['1', '2'],
    ])
  })

  it.each([
    ['an empty file', '', /^data.csv is empty$/],
    [
      'a short row',
      'a,b\n"x\ny",2\n3\n',
      /^data.csv, line 4: 1 value where the header has 2 columns$/,
    ],
    [
      'a long row',
      'a\r\n1\r\n2,3\r\n',
      /^data.csv, line 3: 2 values where the header has 1 column$/,
    ],
    ['an open quote', 'a,b\n1,"2\n3,4\n', /^data.csv, line \d: unclosed quote$/],
    ['text after a quote', 'a,b\n"1"x,2\n', /^data.csv, line 2: a closing quote must be/],
    ['a quote inside a value', 'a,b\n1,5"\n', /^data.csv, line 2: a quote inside a value/],
    [
      'Latin-1',
      Buffer.from('a\n\xe9\n', 'latin1'),
      /^data.csv, after line \d: invalid utf-8 text$/,
    ],
  ])('says where the fault of %s is', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message)
  })

  it('says that there is no such file', async () => {
    await expect(readCsv(join(folder, 'none.csv')).next()).rejects.toThrow(/^file not found: /)
    await expect(readCsv(folder).next()).rejects.toThrow(/ is a folder$/)
  })

  it('reads back whatever was written', async () => {
    const cell = fc.string({ unit: 'grapheme' })
    const width = fc.integer({ min: 2, max: 5 })
    const rows = width.chain((cells) =>
      fc.array(fc.array(cell, { minLength: cells, maxLength: cells }), { minLength: 1 }),
    )
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('\n', '\r\n'), async (table, end) => {
        const content = table.map((cells) => cells.map(quote).join(',') + end).join('')
        expect(await read(content)).toEqual(table)
      }),
    )
  })
})
