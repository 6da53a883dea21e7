import Database from 'better-sqlite3'
import fc from 'fast-check'
import type { Position } from '../../query/cursor'
import { buildReadQuery } from '../../query/read-query'
import { parseSort } from '../../query/sort'
import { sqlFunctions } from '../../query/sql-functions'
import type { TableShape } from '../../query/table-shape'
import { columnType } from '../../values/column-types'
import { Connection } from '../sqlite/connections'
import { findPosition, idsInOrder } from './ordered-ids'
import type { ReadPlan } from './read-plan'

/** Enough for a page of 20 to be bounded by a sample. */
const ROWS = 2_500
const table: TableShape = {
  tableId: 'T',
  columns: Object.entries({ manualSort: 'ManualSortPos', t: 'Text', n: 'Numeric' }).map(
    ([id, type], i) => ({
      id,
      type: columnType(type),
      isFormula: false,
      hidden: false,
      ref: i + 1,
    }),
  ),
}

const db = new Database(':memory:')
/** Calls of each function. */
const calls = new Map<string, number>()
for (const [name, fn] of Object.entries(sqlFunctions))
  db.function(
    name,
    { deterministic: true, directOnly: true, varargs: true },
    (...args: unknown[]) => {
      calls.set(name, (calls.get(name) ?? 0) + 1)
      return fn(args[0], args[1])
    },
  )
const connection = new Connection(db)
db.exec('CREATE TABLE T (id INTEGER PRIMARY KEY, manualSort, t TEXT, n)')
afterAll(() => db.close())

type Cells = readonly [string | null, number | string | null]

function fill(cellsAt: (row: number) => Cells, { step = 1, rows = ROWS } = {}): void {
  db.exec('DELETE FROM T')
  const insert = db.prepare('INSERT INTO T VALUES (?, ?, ?, ?)')
  db.transaction(() => {
    for (let row = 1; row <= rows; row++) insert.run(row * step, rows - row, ...cellsAt(row))
  })()
}

function plan(sort: readonly string[], limit = 0, offset = 0): ReadPlan {
  const query = buildReadQuery(table, { sort: parseSort(sort, table), limit, offset })
  return { ...query, from: '"T"', inRanges: false, offset } as unknown as ReadPlan
}

const orders = [
  ['t'],
  ['-t'],
  ['n', 't'],
  ['-n', '-t:emptyLast'],
  ['t', 'n'],
  ['-t:naturalSort', 't'],
]
const letters = [...'aAbBéÉﬁ①ガ각Σσςй“”’\u0001\u0002 12~\u{1d4d0}\u0301\u{10ffff}']
const part = fc.array(fc.constantFrom(...letters), { maxLength: 3 }).map((all) => all.join(''))

it('gives the rows of a page as a sort of all rows does, after any row', () => {
  const table = fc.record({
    prefix: part,
    texts: fc.array(fc.oneof(part, fc.constant(null)), { minLength: 5, maxLength: 60 }),
    numbers: fc.array(fc.constantFrom(null, 0, 1, -2.5, 'é', 'text'), { minLength: 1 }),
    step: fc.integer({ min: 1, max: 3 }),
  })
  const page = fc.record({
    limit: fc.integer({ min: 1, max: 25 }),
    offset: fc.nat(30),
    from: fc.nat(ROWS - 1),
  })
  fc.assert(
    fc.property(fc.constantFrom(...orders), table, page, (sort, cells, { limit, offset, from }) => {
      const { prefix, texts, numbers, step } = cells
      fill(
        (row) => {
          const text = texts[(row * 7) % texts.length] ?? null
          return [text === null ? null : prefix + text, numbers[(row * 5) % numbers.length] ?? null]
        },
        { step },
      )
      const all = idsInOrder(connection, plan(sort))
      const asked = plan(sort, limit, offset)
      expect(idsInOrder(connection, asked)).toEqual(all.slice(offset, offset + limit))
      const after = findPosition(connection, asked, all[from] ?? 0) as Position
      const start = from + 1 + offset
      const next = idsInOrder(connection, asked, { after, more: 1 })
      expect(next).toEqual(all.slice(start, start + limit + 1))
    }),
    { numRuns: 25 },
  )
})

it('makes keys of few texts for one page, though each has letters beyond ASCII', () => {
  const rows = 20_000
  fill((row) => [`“Customer ${(row * 791) % rows}’s”`, row % 50], { rows })
  for (const sort of [['t'], ['-t'], ['n', 't']]) {
    calls.clear()
    expect(idsInOrder(connection, plan(sort, 10))).toHaveLength(10)
    expect(calls.get('sheaf_sort_key')).toBeLessThan(rows / 4)
  }
})
