import Database from 'better-sqlite3'
import fc from 'fast-check'
import { quoteId } from '../../quoting/quote'
import { Connection } from '../sqlite/connections'
import type { Cell, StoredValue } from '../../values/column-type'
import { columnType } from '../../values/column-types'
import { withErrors } from '../../values/error-cells'
import { TAG } from '../../values/tagged-text'
import { parseAggregates } from '../../query/aggregates'
import { parseFilter } from '../../query/filter'
import { parseGroupBy, planGroups } from '../../query/groups'
import { buildReadQuery } from '../../query/read-query'
import { parseSort } from '../../query/sort'
import { sqlFunctions } from '../../query/sql-functions'
import type { ColumnShape, TableShape } from '../../query/table-shape'
import { groupParts } from './group-parts'

/** Column ids that also name parts of the statement. */
const types = {
  t: 'Text',
  c0: 'Numeric',
  value: 'Bool',
  l: 'ChoiceList',
  d: 'Date',
  a: 'Any',
  f: 'Int',
  manualSort: 'ManualSortPos',
}
type Id = keyof typeof types
const ids = Object.keys(types) as Id[]

const columns = ids.map((id, i): ColumnShape => {
  const type = columnType(types[id])
  const isFormula = id === 'f'
  const hidden = id === 'manualSort'
  return { id, type: isFormula ? withErrors(type) : type, isFormula, hidden, ref: i + 1 }
})
const table: TableShape = { tableId: 'G', columns }
const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

const db = new Database(':memory:')
for (const [name, run] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true, directOnly: true }, run)
db.exec(
  `CREATE TABLE G (id INTEGER PRIMARY KEY, ${columns.map(({ id, type }) => `${quoteId(id)} ${type.affinity}`).join(', ')})`,
)
afterAll(() => db.close())
const connection = new Connection(db)

type Row = Readonly<Partial<Record<Id, Cell>>>

const stored = ({ type }: ColumnShape, cell: Cell): StoredValue =>
  Array.isArray(cell) && cell[0] === 'E'
    ? TAG + JSON.stringify(cell)
    : type.toStored(cell, context, { noParse: true })

function store(rows: readonly Row[]): void {
  db.exec('DELETE FROM G')
  const names = ids.map(quoteId).join(', ')
  const insert = db.prepare(`INSERT INTO G (${names}) VALUES (${ids.map(() => '?').join()})`)
  for (const row of rows)
    insert.run(columns.map((column) => stored(column, row[column.id as Id] ?? null)))
}

interface Counts {
  readonly count: number
  readonly aggregates: Readonly<Record<string, Readonly<Record<string, number | null>>>>
}
interface Group extends Counts {
  readonly value: Cell
  readonly isTooLong?: true
  readonly groups?: readonly Group[]
}
interface Answer {
  readonly groups: readonly Group[]
  readonly truncated: boolean
  readonly total: Counts
}

interface Asked {
  readonly groupBy?: readonly string[]
  readonly aggregates?: readonly string[]
  readonly filter?: object
  readonly limit?: number
}

function ask({ groupBy = [], aggregates = [], filter = {}, limit = 1_000 }: Asked): Answer {
  const plan = planGroups(table, {
    groupBy: parseGroupBy(groupBy, table),
    aggregates: parseAggregates(aggregates, table),
    filter: parseFilter(JSON.stringify(filter), table),
    search: undefined,
    limit,
  })
  const parts = [...groupParts(connection, plan)].filter((part) => part !== null)
  return JSON.parse(Buffer.concat(parts).toString()) as Answer
}

/** The rows as the records API orders them. */
function sorted(keys: readonly string[], filter: object = {}): Row[] {
  const { where, params, order } = buildReadQuery(table, {
    filter: parseFilter(JSON.stringify(filter), table),
    sort: parseSort(keys, table),
    limit: 0,
  })
  const rows = db
    .prepare<unknown[], Record<string, StoredValue>>(
      `SELECT * FROM G WHERE ${where} ORDER BY ${order.sql}`,
    )
    .all(...params, ...order.params)
  return rows.map((row) =>
    Object.fromEntries(columns.map(({ id, type }) => [id, type.fromStored(row[id] ?? null)])),
  )
}

const isNumber = (cell: Cell): cell is number => typeof cell === 'number'
const all = ['filled', 'empty', 'unique', 'sum', 'average', 'min', 'max']
const close = (value: number | null) =>
  value === null ? null : (expect.closeTo(value, 6) as number)

/** Reference model of the aggregates of a numeric column. */
function aggregatesOf(rows: readonly Row[], id: Id): Record<string, number | null> {
  const filled = rows.map((row) => row[id] ?? null).filter((cell) => cell !== null && cell !== '')
  const numbers = filled.filter(isNumber)
  const sum = numbers.reduce((one, other) => one + other, 0)
  const ifAny = (value: number) => (numbers.length === 0 ? null : value)
  return {
    filled: filled.length,
    empty: rows.length - filled.length,
    unique: new Set(filled.map((cell) => JSON.stringify(cell))).size,
    sum: close(ifAny(sum)),
    average: close(ifAny(sum / numbers.length)),
    min: ifAny(Math.min(...numbers)),
    max: ifAny(Math.max(...numbers)),
  }
}

/** Checks that groups divide rows in their order. Returns the values of adjacent groups of each level. */
function checkGroups(groups: readonly Group[], rows: readonly Row[], keys: readonly Id[]): void {
  const [id, ...inner] = keys
  if (!id) return
  let from = 0
  for (const { value, count, aggregates, groups: within } of groups) {
    const own = rows.slice(from, from + count)
    from += count
    expect(own).toHaveLength(count)
    for (const row of own) expect(row[id] ?? null).toEqual(value)
    expect(aggregates).toEqual({ c0: aggregatesOf(own, 'c0'), f: aggregatesOf(own, 'f') })
    expect(within === undefined).toBe(inner.length === 0)
    checkGroups(within ?? [], own, inner)
  }
  expect(from).toBe(rows.length)
  const values = groups.map(({ value }) => JSON.stringify(value))
  // Errors with different messages sort apart.
  if (id !== 'f') expect(new Set(values).size).toBe(values.length)
}

const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'Ä', 'ä', '10', '2'),
  fc.string({ maxLength: 2 }),
)
const number = fc.constantFrom(0, 1, -1, 1.5, 2.25, 1e6)
const blank = fc.constant(null)
const list = fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 })
const cells: Record<Id, fc.Arbitrary<Cell>> = {
  t: fc.oneof(fc.constantFrom('', 'a', 'A', 'Ä', 'ä', '10', '2', 'z'), blank),
  c0: fc.oneof(number, text, blank),
  value: fc.boolean(),
  l: fc.oneof(
    list.map((items): Cell => ['L', ...items]),
    blank,
  ),
  d: fc.oneof(fc.constantFrom(0, 86_400), fc.constant('soon'), blank),
  a: fc.oneof(text, number, fc.boolean(), blank),
  f: fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom<Cell>(['E', 'TypeError', 'one'], ['E', 'TypeError', 'two']),
  ),
  manualSort: fc.integer({ min: 1, max: 99 }),
}
const rows = fc.array(fc.record(cells), { maxLength: 14 })
const grouped = ['t', 'c0', 'value', 'l', 'd', 'a', 'f'] as const

describe('groups of rows', () => {
  it('divide the records that are sorted by the same columns, and aggregate them as a model does', () => {
    const keys = fc.uniqueArray(fc.tuple(fc.constantFrom(...grouped), fc.boolean()), {
      maxLength: 3,
      selector: ([id]) => id,
    })
    const filters = fc.constantFrom({}, { value: [true] })
    const aggregates = ['c0', 'f'].map((id) => `${id}:${all.join(';')}`)
    fc.assert(
      fc.property(rows, keys, filters, (given, chosen, filter) => {
        store(given)
        const groupBy = chosen.map(([id, descending]) => (descending ? `-${id}` : id))
        const answer = ask({ groupBy, aggregates, filter })
        const ordered = sorted(groupBy, filter)
        expect(answer.total).toEqual({
          count: ordered.length,
          aggregates: { c0: aggregatesOf(ordered, 'c0'), f: aggregatesOf(ordered, 'f') },
        })
        expect(answer.truncated).toBe(false)
        const named = chosen.map(([id]) => id)
        if (named.length === 0) expect(answer.groups).toEqual([])
        else checkGroups(answer.groups, ordered, named)
      }),
      { numRuns: 300 },
    )
  })

  it('are those with the first innermost groups if there are too many', () => {
    const cellsOf = (pairs: readonly string[]) => pairs.map(([t, a]) => ({ t, a }))
    store(cellsOf(['px', 'py', 'qx', 'qy', 'qz', 'rx']))
    const counts = (groups: readonly Group[]): unknown[] =>
      groups.map(({ value, count, groups: within }) => [value, count, ...counts(within ?? [])])
    const { groups, truncated, total } = ask({ groupBy: ['t', 'a'], limit: 3 })
    expect(counts(groups)).toEqual([
      ['p', 2, ['x', 1], ['y', 1]],
      ['q', 3, ['x', 1]],
    ])
    expect({ truncated, count: total.count }).toEqual({ truncated: true, count: 6 })
    expect(ask({ groupBy: ['t', 'a'], limit: 6 }).truncated).toBe(false)
  })

  it('are fewer than the limit with many aggregates, so that the answer stays small', () => {
    store(Array.from({ length: 2_500 }, (_, c0) => ({ c0 })))
    const aggregates = ['c0', 'f', 'a'].map((id) => `${id}:${all.join(';')}`)
    aggregates.push(
      ...['t', 'value', 'l', 'd', 'manualSort'].map((id) => `${id}:filled;empty;unique`),
    )
    const { groups, truncated, total } = ask({
      groupBy: ['c0', 't', 'd'],
      aggregates,
      limit: 10_000,
    })
    // 36 aggregates at three levels.
    expect(groups).toHaveLength(Math.floor(250_000 / 3 / 36))
    expect(truncated).toBe(true)
    expect(total.count).toBe(2_500)
  })

  it('join texts that sort as equal', () => {
    store([{ t: '\u212b' }, { t: 'z' }, { t: '\u00c5' }])
    expect(ask({ groupBy: ['t'] }).groups.map(({ count }) => count)).toEqual([2, 1])
  })

  it('are in the order of flags', () => {
    store([{ t: 'a10' }, { t: 'a2' }, { t: '' }])
    const values = ask({ groupBy: ['t:naturalSort;emptyLast'] }).groups.map(({ value }) => value)
    expect(values).toEqual(['a2', 'a10', ''])
  })

  it('have no value that is long', () => {
    store([{ t: 'x'.repeat(1_001) }, { t: 'y'.repeat(1_000) }])
    const [long, other] = ask({ groupBy: ['t'] }).groups
    expect(long).toMatchObject({ value: null, isTooLong: true, count: 1 })
    expect(other).toMatchObject({ value: 'y'.repeat(1_000) })
    expect(other).not.toHaveProperty('isTooLong')
  })

  it('aggregate truth values and dates as numbers, and other text not at all', () => {
    store([
      { value: true, d: 86_400, t: '5' },
      { value: true, d: 'soon', t: '7' },
      { value: false, d: 0, t: '5' },
    ])
    expect(ask({ aggregates: ['value:sum', 'd:min;max', 't:unique'] }).total.aggregates).toEqual({
      value: { sum: 2 },
      d: { min: 0, max: 86_400 },
      t: { unique: 2 },
    })
  })

  it.each<[string, Asked, string, string]>([
    ['unknown column', { groupBy: ['nope'] }, 'UNKNOWN_SORT_KEY', 'nope'],
    ['row id', { groupBy: ['id'] }, 'INVALID_GROUPS', 'groupBy'],
    ['repeated column', { groupBy: ['t', '-t'] }, 'INVALID_GROUPS', 'groupBy'],
    ['fourth column', { groupBy: ['t', 'a', 'd', 'l'] }, 'INVALID_GROUPS', 'groupBy'],
    ['unknown aggregated column', { aggregates: ['nope:sum'] }, 'UNKNOWN_COLUMN', 'nope'],
    ['unknown aggregate', { aggregates: ['c0:median'] }, 'INVALID_AGGREGATE', '"c0"'],
    ['missing aggregate', { aggregates: ['c0'] }, 'INVALID_AGGREGATE', '"c0"'],
    ['repeated aggregate', { aggregates: ['c0:sum', 'c0:sum'] }, 'INVALID_AGGREGATE', 'c0:sum'],
    ['sum of text', { aggregates: ['t:sum'] }, 'INVALID_AGGREGATE', 'Text'],
    ['sum of dates', { aggregates: ['d:sum'] }, 'INVALID_AGGREGATE', 'Date'],
    ['least truth value', { aggregates: ['value:min'] }, 'INVALID_AGGREGATE', 'Bool'],
  ])('are refused for an %s', (_, asked, reason, named) => {
    expect(() => ask(asked)).toThrow(
      expect.objectContaining({
        reason,
        message: expect.stringContaining(named) as string,
      }) as Error,
    )
  })
})
