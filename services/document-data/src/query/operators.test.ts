import Database from 'better-sqlite3'
import fc from 'fast-check'
import { columnType } from '../values/column-types'
import type { Cell, StoredValue } from '../values/column-type'
import { quoteId } from '../quoting/quote'
import { parseFilter } from './filter'
import { buildReadQuery } from './read-query'
import { sortKey } from './sort-keys'
import { sqlFunctions } from './sql-functions'
import type { TableShape } from './table-shape'

const types = {
  t: 'Text',
  n: 'Numeric',
  b: 'Bool',
  cl: 'ChoiceList',
  rl: 'RefList:X',
  a: 'Any',
}
type Column = keyof typeof types
const columns = Object.keys(types) as Column[]

const table: TableShape = {
  tableId: 'V',
  columns: Object.entries(types).map(([id, type], i) => ({
    id,
    type: columnType(type),
    isFormula: false,
    hidden: false,
    ref: i + 1,
  })),
}
const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

/** The cells of a row as read. */
type Row = Record<string, Cell>

const db = new Database(':memory:')
for (const [name, run] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true, directOnly: true }, run)
const definitions = table.columns.map(({ id, type }) => `${quoteId(id)} ${type.affinity}`)
db.exec(`CREATE TABLE V (id INTEGER PRIMARY KEY, ${definitions.join(', ')})`)
afterAll(() => db.close())

/** Stores cells and returns them as read. */
function store(rows: readonly Row[]): Row[] {
  db.exec('DELETE FROM V')
  const names = columns.map(quoteId).join(', ')
  const insert = db.prepare(`INSERT INTO V (${names}) VALUES (${columns.map(() => '?').join()})`)
  for (const row of rows)
    insert.run(
      table.columns.map(({ id, type }) =>
        type.toStored(row[id] ?? null, context, { noParse: true }),
      ),
    )
  const stored = db.prepare(`SELECT ${names} FROM V ORDER BY id`).raw().all() as StoredValue[][]
  return stored.map((values) =>
    Object.fromEntries(
      table.columns.map(({ id, type }, i) => {
        const value = values[i] ?? null
        return [id, value === null ? null : type.fromStored(value)]
      }),
    ),
  )
}

/** Indexes of the rows that pass, from 0. */
function find(filter: object): number[] {
  const query = buildReadQuery(table, {
    filter: parseFilter(JSON.stringify(filter), table),
    sort: [],
    limit: 0,
  })
  const first = db.prepare('SELECT min(id) FROM V').pluck().get() as number
  return (
    db
      .prepare(`SELECT id FROM V WHERE ${query.where} ORDER BY ${query.order.sql}`)
      .pluck()
      .all(...query.params, ...query.order.params) as number[]
  ).map((id) => id - first)
}

// Reference model: the meaning of the operators on cells as read.

const asNumber = (cell: Cell) => (typeof cell === 'boolean' ? Number(cell) : cell)
const isSame = (cell: Cell, wanted: unknown, fold: boolean) => {
  if (Array.isArray(cell)) return false
  if (fold && typeof cell === 'string' && typeof wanted === 'string')
    return cell.toLowerCase() === wanted.toLowerCase()
  return asNumber(cell) === asNumber(wanted as Cell)
}
/** A truth value in an Any column is not a number, unlike in a Bool column. */
const comparable = (column: Column, cell: Cell) =>
  typeof cell === 'boolean' && column !== 'b' ? null : asNumber(cell)
const bytesOf = (text: string) => Buffer.from(sortKey(text) ?? '')
function isOrdered(cell: Cell, to: unknown, test: (order: number) => boolean): boolean {
  if (typeof cell === 'number' && typeof to === 'number') return test(cell - to)
  if (typeof cell === 'string' && typeof to === 'string')
    return test(Buffer.compare(bytesOf(cell), bytesOf(to)))
  return false
}

/** A cell as read, its comparable value, and whether case is ignored. */
interface Subject {
  readonly cell: Cell
  readonly value: Cell
  readonly fold: boolean
}
type Meaning = (subject: Subject, operand: unknown) => boolean

const isOneOf: Meaning = ({ cell, fold }, operand) =>
  (operand as unknown[]).some((wanted) => isSame(cell, wanted, fold))
const onText =
  (test: (text: string, part: string) => boolean): Meaning =>
  ({ cell, fold }, operand) => {
    const form = (of: unknown) => (fold ? String(of).toLowerCase() : String(of))
    return typeof cell === 'string' && test(form(cell), form(operand))
  }
const compares =
  (test: (order: number) => boolean): Meaning =>
  ({ value }, operand) =>
    isOrdered(value, operand, test)

const meanings: Record<string, Meaning> = {
  eq: ({ cell, fold }, operand) => isSame(cell, operand, fold),
  ne: ({ cell, fold }, operand) => !isSame(cell, operand, fold),
  in: isOneOf,
  notIn: (subject, operand) => !isOneOf(subject, operand),
  lt: compares((order) => order < 0),
  lte: compares((order) => order <= 0),
  gt: compares((order) => order > 0),
  gte: compares((order) => order >= 0),
  between: ({ value }, operand) => {
    const [low, high] = operand as unknown[]
    return isOrdered(value, low, (o) => o >= 0) && isOrdered(value, high, (o) => o <= 0)
  },
  contains: onText((held, part) => held.includes(part)),
  notContains: (subject, operand) => !meanings.contains?.(subject, operand),
  startsWith: onText((held, part) => held.startsWith(part)),
  endsWith: onText((held, part) => held.endsWith(part)),
  isNull: ({ cell }, operand) => (cell === null) === operand,
  has: ({ cell }, operand) =>
    [operand].flat().every((item) => Array.isArray(cell) && cell.slice(1).includes(item)),
  hasAny: ({ cell }, operand) =>
    [operand].flat().some((item) => Array.isArray(cell) && cell.slice(1).includes(item)),
  hasNone: (subject, operand) => !meanings.hasAny?.(subject, operand),
  ignoreCase: () => true,
}

function passes(column: Column, cell: Cell, operators: Record<string, unknown>): boolean {
  const subject = { cell, value: comparable(column, cell), fold: operators.ignoreCase === true }
  return Object.entries(operators).every(([name, operand]) => meanings[name]?.(subject, operand))
}

const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'ab', 'Äb', 'ä', '10', '[', '["a"]', '\u0001x', 'a\0b', 'ß', 'z'),
  fc.string({ maxLength: 4 }),
)
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 2, 10, 1.5, 1e300, -1e-7, 2 ** 53),
  fc.integer({ min: -5, max: 5 }),
)
const scalar: fc.Arbitrary<unknown> = fc.oneof(text, number, fc.boolean(), fc.constant(null))
const list = fc.array(fc.oneof(text, number), { maxLength: 3 }).map((items) => ['L', ...items])
const cells: Record<Column, fc.Arbitrary<Cell>> = {
  t: fc.oneof(text, fc.constant(null)),
  n: fc.oneof(number, text, fc.constant(null)),
  b: fc.oneof(fc.boolean(), text),
  cl: fc.oneof(list, text, fc.constant(null)),
  rl: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }).map((ids) => ['L', ...ids]),
    text,
    fc.constant(null),
  ),
  a: fc.oneof(scalar as fc.Arbitrary<Cell>, list),
}

const comparison = fc.oneof(number, text)
const general = {
  eq: scalar,
  ne: scalar,
  in: fc.array(scalar, { maxLength: 3 }),
  notIn: fc.array(scalar, { maxLength: 3 }),
  lt: comparison,
  lte: comparison,
  gt: comparison,
  gte: comparison,
  between: fc.oneof(fc.tuple(number, number), fc.tuple(text, text)),
  contains: text,
  notContains: text,
  startsWith: text,
  endsWith: text,
  isNull: fc.boolean(),
}
const suits = (operators: Record<string, unknown>) => Object.keys(operators).length > 0
const foldable = ['eq', 'ne', 'in', 'notIn', 'contains', 'notContains', 'startsWith', 'endsWith']

function operatorsFor(column: Column): fc.Arbitrary<Record<string, unknown>> {
  const lists = ['cl', 'rl', 'a'].includes(column)
  const item = fc.oneof(text, number)
  const items = fc.oneof(item, fc.array(item, { minLength: 1, maxLength: 2 }))
  const has = { has: items, hasAny: items, hasNone: items }
  return fc
    .record({ ...general, ...(lists && has) }, { requiredKeys: [] })
    .map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)))
    .filter(suits)
    .chain((operators) =>
      Object.keys(operators).some((name) => foldable.includes(name))
        ? fc.boolean().map((ignoreCase) => ({ ...operators, ...(ignoreCase && { ignoreCase }) }))
        : fc.constant(operators),
    )
}

const filterOf = fc
  .record(
    Object.fromEntries(columns.map((column) => [column, operatorsFor(column)])) as Record<
      Column,
      fc.Arbitrary<Record<string, unknown>>
    >,
    { requiredKeys: [] },
  )
  .map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)) as Record<string, object>)
  .filter(suits)

type Filter = Record<string, object>
const passesAll = (row: Row, filter: Filter) =>
  Object.entries(filter).every(([column, operators]) =>
    passes(column as Column, row[column] ?? null, operators as Record<string, unknown>),
  )
const numbersOf = (rows: readonly Row[], test: (row: Row) => boolean) =>
  rows.flatMap((row, i) => (test(row) ? [i] : []))

describe('filter operators', () => {
  it('find the rows that a model in JavaScript finds, also in groups', () => {
    const rows = fc.array(fc.record(cells), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(rows, filterOf, filterOf, (given, one, other) => {
        const held = store(given)
        expect(find(one)).toEqual(numbersOf(held, (row) => passesAll(row, one)))
        expect(find({ or: [one, other] })).toEqual(
          numbersOf(held, (row) => passesAll(row, one) || passesAll(row, other)),
        )
        const both = numbersOf(held, (row) => passesAll(row, one) && passesAll(row, other))
        expect(find({ ...one, or: [other] })).toEqual(both)
        expect(find({ and: [one, { or: [other] }] })).toEqual(both)
      }),
      { numRuns: 300 },
    )
  })

  it('compare the row id as a number', () => {
    store([{ t: 'a' }, { t: 'b' }, { t: 'c' }])
    const low = db.prepare('SELECT min(id) FROM V').pluck().get() as number
    expect(find({ id: { gt: low } })).toEqual([1, 2])
    expect(find({ id: { between: [low, low + 1] } })).toEqual([0, 1])
    expect(find({ id: { ne: low } })).toEqual([1, 2])
    expect(find({ id: { contains: '1' } })).toEqual([])
  })

  it.each<[string, object, string]>([
    ['an unknown operator', { t: { like: 'a' } }, 'unknown operator "like"'],
    ['one that objects inherit', { t: { toString: 'a' } }, 'unknown operator "toString"'],
    ['no operator', { t: {} }, 'must have an operator'],
    ['nothing but ignoreCase', { t: { ignoreCase: true } }, 'must have an operator'],
    ['ignoreCase without text to compare', { t: { gt: 'a', ignoreCase: true } }, 'ignoreCase'],
    ['ignoreCase that is no truth value', { t: { eq: 'a', ignoreCase: 1 } }, 'ignoreCase'],
    ['a list where one value goes', { t: { eq: ['a'] } }, 'eq must be'],
    ['one value where a list goes', { t: { in: 'a' } }, 'in must be'],
    ['null to compare with', { n: { lt: null } }, 'lt must be'],
    ['half a range', { n: { between: [1] } }, 'between must be'],
    ['a mixed range', { n: { between: [1, 'a'] } }, 'between must be'],
    ['a number as text', { t: { contains: 1 } }, 'contains must be'],
    ['has where there are no lists', { t: { has: 'a' } }, 'has is only allowed for list columns'],
    ['has of nothing', { cl: { has: [] } }, 'has must be'],
    ['an or that is no list', { or: { t: ['a'] } }, 'or must be'],
    ['an empty or', { or: [] }, 'or must be'],
    ['an and that is no list', { and: { t: ['a'] } }, 'and must be'],
    ['an empty filter in an and', { and: [{}] }, 'and has an empty filter'],
    ['hasAny where there are no lists', { t: { hasAny: ['a'] } }, 'hasAny is only allowed'],
    ['an empty alternative', { or: [{}] }, 'empty filter'],
    ['an unknown column in an or', { or: [{ zz: ['a'] }] }, 'unknown column "zz"'],
    [
      'too many alternatives',
      { or: Array.from({ length: 501 }, () => ({ t: ['a'] })) },
      'too many',
    ],
    [
      'too deep a nest',
      { or: [{ and: [{ or: [{ and: [{ or: [{ and: [{ t: ['a'] }] }] }] }] }] }] },
      'nested too deeply',
    ],
  ])('refuse %s', (_, filter, message) => {
    expect(() => parseFilter(JSON.stringify(filter), table)).toThrow(message)
  })

  it('go as far as their bounds', () => {
    store([{ t: 'a' }])
    const alternatives = Array.from({ length: 498 }, (_, i) => ({ t: { contains: `b${i}` } }))
    expect(find({ or: [...alternatives, { t: ['a'] }] })).toEqual([0])
    const deep = { or: [{ or: [{ or: [{ or: [{ or: [{ t: { eq: 'a' } }] }] }] }] }] }
    expect(find(deep)).toEqual([0])
  })

  it('that an index cannot serve are not offered to one', () => {
    const offered = (filter: object) => [
      ...buildReadQuery(table, {
        filter: parseFilter(JSON.stringify(filter), table),
        sort: [],
        limit: 0,
      }).byColumn.keys(),
    ]
    expect(
      offered({ t: { contains: 'a' }, n: { gte: 1 }, a: { eq: 5 }, or: [{ t: ['a'] }] }),
    ).toEqual(['n', 'a'])
    expect(offered({ t: { ne: 'a' }, cl: { has: 'x' }, and: [{ n: [1] }] })).toEqual([])
  })
})
