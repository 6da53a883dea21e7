import Database from 'better-sqlite3'
import fc from 'fast-check'
import { columnType } from '../values/column-types'
import type { Cell } from '../values/column-type'
import { quoteId, quoteText } from '../quoting/quote'
import { rowJsonSql } from './row-json'
import { sqlFunctions } from './sql-functions'
import type { ColumnShape, TableShape } from './table-shape'

const db = new Database(':memory:')
for (const [name, fn] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true }, fn)
const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

function column(id: string, type: string, more: Partial<ColumnShape> = {}): ColumnShape {
  return { id, type: columnType(type), isFormula: false, hidden: false, ...more }
}

/** Returns the text of one row with the cells, selected from the table alone and joined with json_each. */
function rowText(columns: readonly ColumnShape[], cells: readonly Cell[], hidden = false): string {
  const table: TableShape = { tableId: 'T', columns }
  const definitions = columns.map(({ id, type }) => `${quoteId(id)} ${type.affinity}`)
  db.exec(
    `DROP TABLE IF EXISTS T; CREATE TABLE T (${['id INTEGER PRIMARY KEY', ...definitions].join(',')})`,
  )
  const values = columns.map(({ type }, i) =>
    type.toStored(cells[i] ?? null, context, { noParse: true }),
  )
  db.prepare(`INSERT INTO T VALUES (7${',?'.repeat(columns.length)})`).run(...values)
  const alone = db
    .prepare(`SELECT ${rowJsonSql(table, { hidden })} FROM T`)
    .pluck()
    .get() as string
  const joined = `SELECT ${rowJsonSql(table, { hidden, alias: 't' })} FROM json_each('[7]') AS j JOIN T AS t ON t.id=j.value`
  expect(db.prepare(joined).pluck().get()).toBe(alone)
  return alone
}

describe('rowJsonSql', () => {
  it('writes every type as clients read it', () => {
    const cells: [string, Cell, Cell?][] = [
      ['Text', 'a "b" \\ \n\u2028 é 😀 \0'],
      ['Choice', 'x'],
      ['Numeric', 1.5],
      ['Numeric', 5],
      ['Numeric', 'alt'],
      ['Numeric', 1 / 3],
      ['Int', 3],
      ['Bool', true],
      ['Bool', false],
      ['Bool', 'maybe'],
      ['Date', 1704153600],
      ['DateTime:UTC', 1704153600.25],
      ['ChoiceList', ['L', 'a', '"']],
      ['ChoiceList', ['L'], null],
      ['ChoiceList', 'alt'],
      ['RefList:T', ['L', 1, 2]],
      ['RefList:T', '[x'],
      ['Ref:T', 0],
      ['Attachments', ['L', 3]],
      ['Any', true],
      ['Any', ['O', { a: [1, {}] }]],
      ['Any', '\u0001x'],
      ['Any', 'true'],
      ['Text', null],
    ]
    const columns = cells.map(([type], i) => column(`c${i}`, type))
    const fields = cells.map(([, cell, reads], i) => [`c${i}`, reads === undefined ? cell : reads])
    const text = rowText(
      columns,
      cells.map(([, cell]) => cell),
    )
    expect(text).toBe(JSON.stringify({ id: 7, fields: Object.fromEntries(fields) as object }))
  })

  it('puts data columns before formula columns and leaves hidden ones out', () => {
    const columns = [
      column('manualSort', 'ManualSortPos', { hidden: true }),
      column('f', 'Any', { isFormula: true }),
      column('a', 'Text'),
      column('b', 'Text'),
    ]
    expect(rowText(columns, [1, null, 'x', 'y'])).toBe(
      '{"id":7,"fields":{"a":"x","b":"y","f":null}}',
    )
    expect(rowText(columns, [1, null, 'x', 'y'], true)).toBe(
      '{"id":7,"fields":{"manualSort":1,"a":"x","b":"y","f":null}}',
    )
  })

  it('writes a row without columns', () => {
    expect(rowText([], [])).toBe('{"id":7,"fields":{}}')
  })

  it('takes hostile names', () => {
    const names = [
      '"',
      "'",
      'a\'b"c',
      '"); DROP TABLE T; --',
      '\\',
      'a\nb',
      '{',
      '}',
      'value',
      'key',
      'é😀',
      '[x]',
      '?',
      ':a',
      '$1',
      ' ',
      '\u0001',
      '%s',
      'json',
      'rowid',
    ]
    const columns = names.map((name) => column(name, 'Text'))
    expect(JSON.parse(rowText(columns, names))).toEqual({
      id: 7,
      fields: Object.fromEntries(names.map((n) => [n, n])),
    })
  })

  it.each([449, 450, 451, 1000, 1900])('writes %i columns', (count) => {
    const kinds = ['Text', 'Numeric', 'Bool', 'ChoiceList', 'Any']
    const cells: Cell[] = ['}"{', 0.1, true, ['L', '}'], ['O', { '}': {} }]]
    const columns = Array.from({ length: count }, (_, i) =>
      column(`it's "${i}`, kinds[i % 5] ?? 'Text'),
    )
    const values = columns.map((_, i) => cells[i % 5] ?? null)
    const fields = Object.fromEntries(columns.map(({ id }, i) => [id, values[i]])) as object
    expect(rowText(columns, values)).toBe(JSON.stringify({ id: 7, fields }))
  })

  it('writes any text as valid JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary', minLength: 1 }),
        (cell, name) => {
          const id = `x${name.replace(/\0/g, '')}`
          expect(JSON.parse(rowText([column(id, 'Text')], [cell]))).toEqual({
            id: 7,
            fields: { [id]: cell },
          })
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('quoting', () => {
  it('refuses NUL, at which SQLite would stop reading', () => {
    expect(() => quoteId('a\0"')).toThrow('NUL')
    expect(() => quoteText("a\0'")).toThrow('NUL')
  })
})
