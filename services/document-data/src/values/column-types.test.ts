import { AppError } from '@sheaf/kit/errors'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { sqlFunctions } from '../query/sql-functions'
import { cellJsonSql, type Cell, type ColumnContext } from './column-type'
import { columnType, isListType } from './column-types'

const context: ColumnContext = {
  settings: { timezone: 'America/New_York', locale: 'en-US' },
  widgetOptions: {},
}
const parse = { noParse: false }

const names = [
  'Text',
  'Choice',
  'Numeric',
  'Int',
  'Bool',
  'Date',
  'DateTime',
  'DateTime:America/New_York',
  'ChoiceList',
  'Ref:People',
  'RefList:People',
  'Attachments',
  'Any',
  'ManualSortPos',
  'PositionNumber',
]

const db = new Database(':memory:')
for (const [name, fn] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true }, fn)

/** Writes cells to one column of a real table and reads them back both ways. */
function throughSqlite(
  name: string,
  cells: readonly Cell[],
  options = parse,
): { json: Cell[]; direct: Cell[]; typed: Cell[] } {
  const type = columnType(name)
  db.exec(
    `DROP TABLE IF EXISTS t; CREATE TABLE t (id INTEGER PRIMARY KEY, "a ""b" ${type.affinity})`,
  )
  const insert = db.prepare('INSERT INTO t ("a ""b") VALUES (?)')
  for (const cell of cells) insert.run(type.toStored(cell, context, options))
  const [plain, coded] = [false, true].map((typed) => cellJsonSql(type, '"a ""b"', typed))
  const sql = `
    SELECT json_object('v', ${plain}) AS j, json_object('v', ${coded}) AS c, "a ""b" AS v
    FROM t ORDER BY id`
  const rows = db.prepare(sql).safeIntegers().all() as {
    j: string
    c: string
    v: string | bigint | null
  }[]
  return {
    json: rows.map(({ j }) => (JSON.parse(j) as { v: Cell }).v),
    typed: rows.map(({ c }) => (JSON.parse(c) as { v: Cell }).v),
    direct: rows.map(({ v }) => type.fromStored(v)),
  }
}

type Coded = (cell: Cell, argument: string | undefined) => Cell

const codedNumber =
  (code: string): Coded =>
  (cell, argument) =>
    typeof cell === 'number'
      ? [code, ...(code === 'R' ? [argument, cell] : [cell, argument])]
      : cell
const codedRows =
  (table?: string): Coded =>
  (cell, argument) =>
    cell === null || Array.isArray(cell) ? ['r', table ?? argument, cell?.slice(1) ?? []] : cell

/** Adds the type code to a cell as read; types without one are omitted. */
const codedForms: Readonly<Record<string, Coded>> = {
  Date: (cell) => (typeof cell === 'number' ? ['d', cell] : cell),
  DateTime: (cell, zone) => codedNumber('D')(cell, zone ?? 'UTC'),
  Ref: codedNumber('R'),
  RefList: codedRows(),
  Attachments: codedRows('_grist_Attachments'),
  ChoiceList: (cell) => cell ?? ['L'],
}

function coded(name: string, cell: Cell): Cell {
  const [type = '', argument] = name.split(':')
  return codedForms[type]?.(cell, argument) ?? cell
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '[1,2]',
    '["a"]',
    '[',
    '\u0001',
    '\u0001true',
    '\u0001[',
    "'",
    '\0',
    'a\0b',
    '2024-01-02',
    '12%',
    '$5',
  ),
  fc.string({ unit: fc.constantFrom(...'0123456789 -/:.,TZapm$%()[]"LeE+') }),
)
const number = fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger())
const plainCell: fc.Arbitrary<Cell> = fc.oneof(text, number, fc.boolean(), fc.constant(null))
const cell: fc.Arbitrary<Cell> = fc.oneof(
  plainCell,
  fc
    .tuple(
      fc.constantFrom('L', 'l', 'O', 'D', 'd', 'R', 'r', 'E', 'P', 'U', 'C', 'S', 'V'),
      fc.array(fc.oneof(text, number, fc.jsonValue({ maxDepth: 3 })), { maxLength: 3 }),
    )
    .map(([code, rest]) => [code, ...rest]),
)

describe('columnType', () => {
  it.each(names)('knows %s and returns the same object again', (name) => {
    expect(columnType(name)).toBe(columnType(name))
    expect(columnType(name).name).toBe(name.split(':')[0])
  })

  it('gives the argument of a type', () => {
    expect(columnType('Ref:People').argument).toBe('People')
    expect(columnType('DateTime:Europe/Berlin').argument).toBe('Europe/Berlin')
  })

  it.each([
    'Nope',
    '',
    'Ref',
    'Ref:',
    'RefList:',
    'Text:x',
    'text',
    'DateTime:Nope/Zone',
    '__proto__',
    'constructor',
  ])('refuses %j and names it', (name) => {
    expect(() => columnType(name)).toThrow(
      expect.objectContaining({
        code: 'invalid',
        reason: 'UNKNOWN_COLUMN_TYPE',
        message: expect.stringContaining(name) as string,
      }) as Error,
    )
  })

  it('gives an affinity to text columns only', () => {
    expect(names.filter((name) => columnType(name).affinity === 'TEXT')).toEqual(['Text', 'Choice'])
  })

  it('knows which types are lists', () => {
    expect(names.filter((name) => isListType(columnType(name)))).toEqual([
      'ChoiceList',
      'RefList:People',
      'Attachments',
    ])
  })
})

describe.each(names)('a %s column', (name) => {
  const type = columnType(name)

  it('takes every cell, or refuses it with an AppError, and reads the same as JSON and directly', () => {
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 10 }),
        fc.boolean(),
        (cells, noParse) => {
          const taken = cells.filter((one) => {
            try {
              type.toStored(one, context, { noParse })
              return true
            } catch (error) {
              expect(error).toBeInstanceOf(AppError)
              return false
            }
          })
          const { json, direct, typed } = throughSqlite(name, taken, { noParse })
          expect(json).toEqual(direct.map((one) => (Object.is(one, -0) ? 0 : one)))
          expect(typed).toEqual(json.map((one) => coded(name, one)))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('stores what it has read as it was, without parsing it again', () => {
    fc.assert(
      fc.property(plainCell, (one) => {
        let read: Cell
        try {
          read = type.fromStored(type.toStored(one, context, parse))
        } catch {
          return
        }
        const again = type.fromStored(type.toStored(read, context, { noParse: true }))
        expect(again).toEqual(read)
      }),
      { numRuns: 300 },
    )
  })
})

describe('numbers', () => {
  it('are written as JSON.stringify writes them', () => {
    const given = [
      0.1,
      1 / 3,
      0.1 + 0.2,
      5e-324,
      1e21,
      1e20,
      123456789012345680,
      -0,
      0,
      1,
      -1,
      2 ** 53,
      2 ** 53 + 2,
      -(2 ** 53),
      1e-7,
      0.00001234,
      1.5,
      610694089.764158,
      -88316176.378377,
      1.7976931348623157e308,
      0.0001,
      0.000099,
      9999999.999999,
    ]
    const type = columnType('Numeric')
    const json = db.prepare(`SELECT json_array(${type.jsonSql('v')}) FROM (SELECT ? AS v)`).pluck()
    for (const value of given) {
      expect(json.get(type.toStored(value, context, parse))).toBe(JSON.stringify([value]))
    }
    const short = fc.tuple(fc.integer(), fc.nat(12)).map(([n, places]) => n / 10 ** places)
    fc.assert(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), short), (value) => {
        expect(json.get(type.toStored(value, context, parse))).toBe(JSON.stringify([value]))
      }),
      { numRuns: 5000 },
    )
  })

  it('that are not finite read as null', () => {
    expect(throughSqlite('Numeric', ['Infinity', 'NaN', '1e400', Infinity]).json).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(throughSqlite('Any', [Infinity, NaN]).json).toEqual([null, null])
    db.exec('DROP TABLE IF EXISTS t; CREATE TABLE t (v); INSERT INTO t VALUES (9e999)')
    expect(
      db
        .prepare(`SELECT json_array(${columnType('Any').jsonSql('v')}) FROM t`)
        .pluck()
        .get(),
    ).toBe('[null]')
  })
})

describe('storage', () => {
  it('shows lists to raw SQL as JSON, and text that looks like a list apart from them', () => {
    const stored = (one: Cell, noParse = false) =>
      columnType('ChoiceList').toStored(one, context, { noParse })
    expect(stored(['L', 'a'])).toBe('["a"]')
    expect(columnType('RefList:T').toStored(['L', 1, 2], context, parse)).toBe('[1,2]')
    expect(columnType('RefList:T').toStored(['L', 'Ann'], context, parse)).toBe('\u0001"[\'Ann\']"')
    expect(throughSqlite('RefList:T', [['L', 'Ann'], '[x', ['L', 7]]).json).toEqual([
      "['Ann']",
      '[x',
      ['L', 7],
    ])
  })

  it('keeps plain text of an Any column as it is, and all else apart from it', () => {
    const any = columnType('Any')
    expect(any.toStored('abc', context, parse)).toBe('abc')
    expect(any.toStored(true, context, parse)).toBe('\u0001true')
    expect(any.toStored('\u0001true', context, parse)).toBe('\u0001"\\u0001true"')
  })
})
