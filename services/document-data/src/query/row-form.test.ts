import Database from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import type { RowFormat } from '../formats/create-row-writer'
import type { Cell } from '../values/column-type'
import { columnType } from '../values/column-types'
import { quoteId } from '../quoting/quote'
import { rowSql } from './row-form'
import { sqlFunctions } from './sql-functions'
import type { ColumnShape } from './table-shape'

const db = new Database(':memory:')
for (const [name, fn] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true }, fn)
const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

const types = [
  ...['Text', 'Choice', 'Numeric', 'Int', 'Bool', 'Date', 'DateTime:Europe/Berlin', 'ChoiceList'],
  ...['Ref:T', 'RefList:T', 'Attachments', 'Any', 'ManualSortPos'],
]
const columnsOf = (names: readonly string[]): ColumnShape[] =>
  names.map((type, i) => ({
    id: `c${i}`,
    type: columnType(type),
    isFormula: false,
    hidden: false,
  }))

/** Returns the cells as a row of the JSON document and as a row in another format. */
function rowIn(
  format: RowFormat,
  columns: readonly ColumnShape[],
  cells: readonly Cell[],
  typed = false,
) {
  const definitions = columns.map(({ id, type }) => `${quoteId(id)} ${type.affinity}`)
  db.exec(
    `DROP TABLE IF EXISTS T; CREATE TABLE T (${['id INTEGER PRIMARY KEY', ...definitions].join(',')})`,
  )
  const values = columns.map(({ type }, i) =>
    type.toStored(cells[i] ?? null, context, { noParse: true }),
  )
  db.prepare(`INSERT INTO T VALUES (7${',?'.repeat(columns.length)})`).run(...values)
  const shape = { tableId: 'T', columns }
  const form = { hidden: false, typed, inColumns: false }
  const select = (sql: string) => db.prepare(`SELECT ${sql} FROM T`).pluck().get() as string
  const json = JSON.parse(select(rowSql(shape, form).row)) as { fields: Record<string, unknown> }
  const { row, frame } = rowSql(shape, { ...form, format })
  return { fields: Object.values(json.fields), text: select(row), head: frame.head }
}

const text = fc.string({ unit: fc.oneof(fc.constantFrom(...',"\n\r\t é€[]{}'), fc.string()) })
const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom<Cell[]>(
    null,
    '',
    true,
    'null',
    0,
    -0.5,
    1e300,
    1 / 3,
    ['L', 'a,"', 'b'],
    ['L', 1, 2],
  ),
  // A negative whole number is rejected as a reference.
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => n >= 0 || n % 1 !== 0),
  fc.nat(),
  text,
)
const row = fc.array(cell, { minLength: types.length, maxLength: types.length })
const columns = columnsOf(types)

const fieldText = (value: unknown) =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

describe('a row as a line of CSV', () => {
  it.each([false, true])('has the cells of the JSON, whatever their types; typed: %s', (typed) => {
    fc.assert(
      fc.property(row, (cells) => {
        const { fields, text: line, head } = rowIn('csv', columns, cells, typed)
        expect(parse(head + line, { record_delimiter: '\n' })).toEqual([
          ['id', ...columns.map(({ id }) => id)],
          ['7', ...fields.map(fieldText)],
        ])
      }),
    )
  })

  it('has quotes where they are needed, and tells text of no length from null', () => {
    const some = columnsOf(['Text', 'Text', 'Text', 'Text', 'Text', 'Int', 'ChoiceList', 'Any'])
    const cells: Cell[] = ['plain é', 'a,b', '"', 'a\nb', '', '', ['L', 'x'], '']
    expect(rowIn('csv', some, cells).text).toBe(
      '7,plain é,"a,b","""","a\nb","",,"[""L"",""x""]",""\n',
    )
    expect(
      rowIn(
        'csv',
        some,
        some.map(() => null),
      ).text,
    ).toBe('7,,,,,,,,\n')
  })
})

it('a row as a JSON list has the cells of the JSON, whatever their types', () => {
  fc.assert(
    fc.property(row, (cells) => {
      const { fields, text: list } = rowIn('arrow', columns, cells)
      expect(JSON.parse(list)).toEqual([7, ...fields])
    }),
  )
})

it('a row of as many columns as a table can have is written in every form', () => {
  const wide = columnsOf(Array.from({ length: 1_990 }, (_, i) => types[i % types.length] ?? ''))
  const cells = wide.map((_, i): Cell => (i % 3 === 0 ? ['L', 'a"'] : i))
  const lists = rowIn('arrow', wide, cells)
  expect(JSON.parse(lists.text)).toEqual([7, ...lists.fields])
  const csv = rowIn('csv', wide, cells)
  expect(parse(csv.text)).toEqual([['7', ...csv.fields.map(fieldText)]])
  const lines = rowIn('ndjson', wide, cells)
  expect(lines.text.endsWith('}\n')).toBe(true)
  const { fields } = JSON.parse(lines.text) as { fields: object }
  expect(Object.values(fields)).toEqual(lines.fields)
})
