import Database from 'better-sqlite3'
import fc from 'fast-check'
import { quoteId } from '../quoting/quote'
import { columnType } from '../values/column-types'
import type { Cell, StoredValue } from '../values/column-type'
import { withErrors } from '../values/error-cells'
import { TAG } from '../values/tagged-text'
import { planValues, valuesSql } from './column-values'
import { parseFilter } from './filter'
import { sqlFunctions } from './sql-functions'
import type { ColumnShape, TableShape } from './table-shape'

/** Column ids that also name parts of the statement. */
const types = {
  v: 'Text',
  n: 'Numeric',
  value: 'Bool',
  key: 'ChoiceList',
  c: 'RefList:X',
  a: 'Any',
  f: 'Int',
}
type Id = keyof typeof types
const ids = Object.keys(types) as Id[]

const columns = ids.map((id, i): ColumnShape => {
  const type = columnType(types[id])
  const isFormula = id === 'f'
  return { id, type: isFormula ? withErrors(type) : type, isFormula, hidden: false, ref: i + 1 }
})
const table: TableShape = { tableId: 'V', columns }
const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

const db = new Database(':memory:')
for (const [name, run] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true, directOnly: true }, run)
db.exec(
  `CREATE TABLE V (id INTEGER PRIMARY KEY, ${columns.map(({ id, type }) => `${quoteId(id)} ${type.affinity}`).join(', ')})`,
)
afterAll(() => db.close())

type Row = Readonly<Partial<Record<Id, Cell>>>

const stored = ({ type }: ColumnShape, cell: Cell): StoredValue =>
  Array.isArray(cell) && cell[0] === 'E'
    ? TAG + JSON.stringify(cell)
    : type.toStored(cell, context, { noParse: true })

/** Stores cells and returns them as read. */
function store(rows: readonly Row[]): Row[] {
  db.exec('DELETE FROM V')
  const names = ids.map(quoteId).join(', ')
  const insert = db.prepare(`INSERT INTO V (${names}) VALUES (${ids.map(() => '?').join()})`)
  return rows.map((row) => {
    const values = columns.map((column) => stored(column, row[column.id as Id] ?? null))
    insert.run(values)
    return Object.fromEntries(
      columns.map(({ id, type }, i) => [id, type.fromStored(values[i] ?? null)]),
    )
  })
}

interface Counted {
  readonly values: readonly { readonly value: Cell; readonly count: number }[]
  readonly total: number
}

function count(id: Id, filter: object = {}, limit = 1_000): Counted {
  const column = columns[ids.indexOf(id)] as ColumnShape
  const parsed = parseFilter(JSON.stringify(filter), table)
  const plan = planValues(table, column, { filter: parsed, search: undefined, limit })
  const json = db.prepare(valuesSql(plan)).pluck().get(plan.params) as Buffer
  return JSON.parse(json.toString()) as Counted
}

/** The values that a cell counts for. */
function parts(id: Id, cell: Cell): Cell[] {
  if (id !== 'key' && id !== 'c') return [cell]
  if (cell === null) return [null]
  return Array.isArray(cell) ? [...new Set(cell.slice(1) as Cell[])] : []
}

/** Reference model: numbers of cells by their JSON. */
function model(id: Id, rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const part of rows.flatMap((row) => parts(id, row[id] ?? null))) {
    const key = JSON.stringify(part)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'Ä', '10', '["a"]', '\u0001x'),
  fc.string({ maxLength: 3 }),
)
const number = fc.constantFrom(0, 1, -1, 1.5, 1e300)
const blank = fc.constant(null)
const list = fc.array(text, { maxLength: 3 }).map((items): Cell => ['L', ...items])
const rowIds = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 })
const cells: Record<Id, fc.Arbitrary<Cell>> = {
  v: fc.oneof(text, blank),
  n: fc.oneof(number, text, blank),
  value: fc.oneof(fc.boolean(), text),
  key: fc.oneof(list, text, blank),
  c: fc.oneof(
    rowIds.map((items): Cell => ['L', ...items]),
    blank,
  ),
  a: fc.oneof(text, number, fc.boolean(), list, blank),
  f: fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom<Cell>(
      ['E', 'TypeError', 'one'],
      ['E', 'TypeError', 'two'],
      ['E', 'KeyError', ''],
    ),
  ),
}

describe('the values of a column', () => {
  it.each(ids)('are counted as a model in JavaScript counts them: %s', (id) => {
    const rows = fc.array(fc.record(cells), { maxLength: 12 })
    fc.assert(
      fc.property(rows, (given) => {
        const held = store(given)
        const { values, total } = count(id)
        const found = new Map(values.map(({ value, count: n }) => [JSON.stringify(value), n]))
        expect(found).toEqual(model(id, held))
        expect(total).toBe(values.length)
        const counts = values.map(({ count: n }) => n)
        expect(counts).toEqual([...counts].sort((one, other) => other - one))
        expect(count(id, {}, 2)).toEqual({ values: values.slice(0, 2), total })
      }),
      { numRuns: 100 },
    )
  })

  it('find the rows that are counted when they are used as a filter', () => {
    const rows = fc.array(fc.record(cells), { minLength: 1, maxLength: 8 })
    const sole = fc.constantFrom<Id>('v', 'n', 'value', 'a', 'f')
    fc.assert(
      fc.property(rows, sole, (given, id) => {
        store(given)
        for (const { value, count: n } of count(id).values)
          expect(count(id, { [id]: [value] }).values).toContainEqual({ value, count: n })
      }),
      { numRuns: 100 },
    )
  })

  it('are those of the rows that pass a filter, in the order of the column if they are as frequent', () => {
    store([
      { v: 'b', n: 1 },
      { v: 'a', n: 1 },
      { v: 'B', n: 1 },
      { v: 'b', n: 2 },
      { v: 'c', n: 3 },
    ])
    expect(count('v').values.map(({ value }) => value)).toEqual(['b', 'a', 'B', 'c'])
    expect(count('v', { n: { lt: 2 } })).toEqual({
      values: [
        { value: 'a', count: 1 },
        { value: 'b', count: 1 },
        { value: 'B', count: 1 },
      ],
      total: 3,
    })
  })

  it('are counted but not listed if they are long', () => {
    store([{ v: 'x'.repeat(1_000) }, { v: 'y'.repeat(1_001) }])
    const { values, total } = count('v')
    expect(values.map(({ value }) => value)).toEqual(['x'.repeat(1_000)])
    expect(total).toBe(2)
  })
})
