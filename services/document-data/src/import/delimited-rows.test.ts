import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { openSource } from './open-source'
import type { ImportedCell, RowSink } from './row-sink'

let folder: string
let path: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sheaf-rows-'))
  path = join(folder, 'file')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What was read from a text: its header and its rows. */
async function read(text: string | Buffer, delimiter?: string): Promise<ImportedCell[][]> {
  writeFileSync(path, text)
  const rows: ImportedCell[][] = []
  const sink: RowSink = {
    beginTable: () => {},
    nameColumns: (labels) => rows.push([...labels]),
    addRow: (cells) => rows.push([...cells]),
  }
  const source = await openSource('csv', path, 'T', delimiter === undefined ? {} : { delimiter })
  await source.rows(sink)
  return rows
}

describe('rows of CSV', () => {
  it.each([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\r\n"1;\r\n2";3\r\n',
      [
        ['a', 'b'],
        ['1;\r\n2', '3'],
      ],
    ],
    [
      'a|b\r1|2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      '"a,b"\tc\n1\t2',
      [
        ['a,b', 'c'],
        ['1', '2'],
      ],
    ],
    ['one\n\ntwo\n', [['one'], ['two']]],
    [
      'a,b\r\n1,2\n3,4\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
        ['3', '4'],
      ],
    ],
  ])('of %j', async (text, expected) => {
    expect(await read(text)).toEqual(expected)
  })

  it('are read back as they were written, whatever stands in them', async () => {
    const cell = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !text.includes('\0'))
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const text = rows.map((row) => row.map(quoted).join(',')).join('\n')
        // A leading byte order mark is not part of the text.
        expect(await read(text, ',')).toEqual(rows)
      }),
      { numRuns: 60 },
    )
  })

  it('are those that csv-parse reads, or the text is refused', async () => {
    const piece = fc.constantFrom('a', '1', ',', ';', '"', '""', '\n', '\r\n', ' ', 'é', '\t')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const text = pieces.join('')
        let rows: ImportedCell[][]
        try {
          rows = await read(text, ',')
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          expect(error).toMatchObject({ code: 'invalid' })
          return
        }
        const wanted = parse(text, {
          record_delimiter: ['\r\n', '\n', '\r'],
          relax_column_count: true,
          relax_quotes: true,
          skip_empty_lines: true,
        })
        expect(rows).toEqual(wanted)
      }),
      { numRuns: 200 },
    )
  })
})
