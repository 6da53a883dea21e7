import { Type, Vector, tableFromIPC, type Table } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { createRowWriter, type RowFormat } from './create-row-writer'
import type { ColumnKind, Row, RowValue, WrittenColumn } from './row-writer'

function render(format: RowFormat, columns: readonly WrittenColumn[], ...batches: Row[][]): Buffer {
  const writer = createRowWriter(format, columns)
  const parts = batches.flatMap((rows) => writer.write(rows))
  return Buffer.concat([...parts, ...writer.finish()])
}

const named = (...names: string[]) => names.map((name) => ({ name }))

function readArrow(bytes: Buffer): { table: Table; rows: unknown[][] } {
  const table = tableFromIPC(bytes)
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    table.schema.fields.map((_field, column) => plain(table.getChildAt(column)?.get(row))),
  )
  return { table, rows }
}

/** Converts values read by Arrow to the values that were written. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value)
  const isVector = value instanceof Vector
  return isVector ? [...(value as Iterable<unknown>)].map(plain) : value
}

/** Drops the sign of zero, which integer columns do not have. */
function asNumber(value: unknown): unknown {
  const number = typeof value === 'bigint' ? Number(value) : value
  return number === 0 ? 0 : number
}

const text = fc.string({ unit: fc.oneof(fc.constantFrom(...',"\n\r\t é€😀'), fc.string()) })
const anyValue: fc.Arbitrary<RowValue> = fc.oneof(
  fc.constant(null),
  text,
  fc.boolean(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.array(fc.oneof(text, fc.integer()), { maxLength: 3 }),
)

describe('rows as NDJSON', () => {
  it('are objects, one a line', () => {
    const bytes = render('ndjson', named('a', 'b "c"'), [[1, 'x\ny']], [], [[null, true]])
    expect(bytes.toString()).toBe('{"a":1,"b \\"c\\"":"x\\ny"}\n{"a":null,"b \\"c\\"":true}\n')
  })

  it('are read back as they were, whatever their columns are called', () => {
    const row = fc.tuple(text, fc.oneof(text, fc.integer(), fc.constant(null)), text)
    fc.assert(
      fc.property(
        fc.array(row),
        fc.uniqueArray(text, { minLength: 3, maxLength: 3 }),
        (rows, names) => {
          const lines = render('ndjson', named(...names), rows)
            .toString()
            .split('\n')
          expect(lines.pop()).toBe('')
          const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
          expect(
            read.map((object) =>
              names.map((name) => Object.entries(object).find(([key]) => key === name)?.[1]),
            ),
          ).toEqual(rows)
        },
      ),
    )
  })

  it('have whole numbers in all their digits, and null for what is no number in JSON', () => {
    const bytes = render('ndjson', named('a'), [[2n ** 63n - 1n], [Infinity], [[1n, 'x']]])
    expect(bytes.toString()).toBe('{"a":9223372036854775807}\n{"a":null}\n{"a":[1,"x"]}\n')
  })
})

describe('rows as CSV', () => {
  it('have a line of names, and quotes only where they are needed', () => {
    const rows = [
      ['plain text', 1.5, null],
      ['a,b', true, ''],
      ['say "hi"', 10n ** 15n, 'two\nlines'],
      [' space ', Buffer.from([0, 255]), ['L', 1]],
    ]
    expect(render('csv', named('A', 'B,C', 'D'), rows).toString()).toBe(
      'A,"B,C",D\n' +
        'plain text,1.5,\n' +
        '"a,b",true,""\n' +
        '"say ""hi""",1000000000000000,"two\nlines"\n' +
        ' space ,00ff,"[""L"",1]"\n',
    )
  })

  it('are read back by another parser as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 4 })), (rows) => {
        const width = Math.max(1, ...rows.map((row) => row.length))
        const full = rows.map((row) => [...row, ...Array<string>(width - row.length).fill('')])
        const names = Array.from({ length: width }, (_, i) => `c${i}`)
        const read = parse(render('csv', named(...names), full), { record_delimiter: '\n' })
        expect(read).toEqual([names, ...full])
      }),
    )
  })

  it('have the line of names also without rows', () => {
    expect(render('csv', named('a', 'b')).toString()).toBe('a,b\n')
  })

  it('keep a row whose only value is null', () => {
    const read = parse(render('csv', named('a'), [[null], ['x']]), { skip_empty_lines: true })
    expect(read).toEqual([['a'], [''], ['x']])
  })
})

describe('rows as an Arrow stream', () => {
  it('have the kinds that their columns are given', () => {
    const columns: (WrittenColumn & { kind: ColumnKind })[] = [
      { name: 'bool', kind: 'bool' },
      { name: 'int32', kind: 'int32' },
      { name: 'int64', kind: 'int64' },
      { name: 'float64', kind: 'float64' },
      { name: 'date', kind: 'date' },
      { name: 'timestamp', kind: 'timestamp', zone: 'Europe/Berlin' },
      { name: 'text', kind: 'text' },
      { name: 'json', kind: 'json' },
      { name: 'bytes', kind: 'bytes' },
      { name: 'texts', kind: 'textList' },
      { name: 'ids', kind: 'int64List' },
    ]
    const full: Row = [
      ...[true, -5, 2n ** 60n, 1.5, 19_000, 1_700_000_000_123_456n, 'é', '{"a":1}'],
      ...[Buffer.from('b'), ['x', '', 'ö'], [1n, 2n]],
    ]
    const nothing: Row = columns.map(() => null)
    const { table, rows } = readArrow(render('arrow', columns, [full], [nothing, full]))
    const written = full.map((value, i) =>
      i === 4 ? 19_000 * 86_400_000 : i === 5 ? 1_700_000_000_123.456 : value,
    )
    expect(rows).toEqual([written, nothing, written])
    expect(table.batches).toHaveLength(2)
    expect(String(table.schema.fields[5]?.type)).toBe('Timestamp<MICROSECOND, Europe/Berlin>')
    expect(table.schema.fields[7]?.metadata.get('ARROW:extension:name')).toBe('arrow.json')
  })

  it('come in batches of a bounded size', () => {
    const kind = 'int32' as const
    const columns = Array.from({ length: 16 }, (_, i) => ({ name: `c${i}`, kind }))
    const rows = Array.from({ length: 5_000 }, (_, row) => columns.map((_c, i) => row * 100 + i))
    const { table, rows: read } = readArrow(render('arrow', columns, rows))
    expect(read).toEqual(rows)
    expect(Math.max(...table.batches.map(({ numRows }) => numRows))).toBe(1024)
  })

  it.each<[string, RowValue[], Type, unknown[]?]>([
    ['nothing', [null, null], Type.Null],
    ['whole numbers', [1, null, 2n ** 62n], Type.Int, [1n, null, 2n ** 62n]],
    ['numbers', [1n, 2.5, null], Type.Float, [1, 2.5, null]],
    ['texts', ['a', null, ''], Type.Utf8],
    ['bytes', [Buffer.from([1]), null], Type.Binary],
    ['truth values', [true, null, false], Type.Bool],
    ['numbers and texts', [1n, 'x', 0.5, null], Type.Utf8, ['1', 'x', '0.5', null]],
    ['what no number holds', [2n ** 62n + 1n, 0.5], Type.Utf8, [`${2n ** 62n + 1n}`, '0.5']],
    ['lists', [[1, 'a'], null], Type.Utf8, ['[1,"a"]', null]],
  ])(
    'have kinds by their values when nothing is known: %s',
    (_name, values, type, read = values) => {
      const column = values.map((value) => [value])
      const { table, rows } = readArrow(
        render('arrow', named('a'), column.slice(0, 1), column.slice(1)),
      )
      expect(rows).toEqual(read.map((value) => [value]))
      expect(table.schema.fields[0]?.type.typeId).toBe(type)
    },
  )

  it('hold every value, whatever comes with it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyValue, text, fc.option(fc.double({ noNaN: true })))),
        (values) => {
          const { rows } = readArrow(render('arrow', named('any', 'text', 'number'), values))
          expect(rows.map(([, ...rest]) => rest.map(asNumber))).toEqual(
            values.map(([, ...rest]) => rest.map(asNumber)),
          )
          expect(rows.map(([value]) => value === null)).toEqual(
            values.map(([value]) => value === null),
          )
        },
      ),
    )
  })

  it('keep texts apart that would be another character together', () => {
    const { rows } = readArrow(render('arrow', named('a'), [['\ud83d'], ['\ude00']]))
    expect(rows).toEqual([['\ufffd'], ['\ufffd']])
  })

  it('have a schema also without rows', () => {
    const { table, rows } = readArrow(render('arrow', named('a', 'b')))
    expect(rows).toEqual([])
    expect(table.schema.names).toEqual(['a', 'b'])
  })
})

it('columns of the same name get numbers in every form, as in SQLite', () => {
  const columns = named('a', 'a:1', 'a', 'b', 'a')
  const names = ['a', 'a:1', 'a:2', 'b', 'a:3']
  const row = [1n, 2n, 3n, null, 5n]
  expect(render('csv', columns, [row]).toString()).toBe(`${names.join(',')}\n1,2,3,,5\n`)
  const object = JSON.parse(render('ndjson', columns, [row]).toString()) as object
  expect(Object.keys(object)).toEqual(names)
  const { table, rows } = readArrow(render('arrow', columns, [row]))
  expect([table.schema.names, rows]).toEqual([names, [row]])
})

it.each(['__proto__', 'constructor', '1', ''])('a column may be called "%s"', (name) => {
  const columns = named('b', name)
  expect(
    Object.entries(JSON.parse(render('ndjson', columns, [[1, 2]]).toString()) as object),
  ).toHaveLength(2)
  expect(readArrow(render('arrow', columns, [[1n, 2n]])).rows).toEqual([[1n, 2n]])
})
