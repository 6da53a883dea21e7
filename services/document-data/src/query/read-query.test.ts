import Database from 'better-sqlite3'
import { columnType } from '../values/column-types'
import type { Cell } from '../values/column-type'
import { quoteId } from '../quoting/quote'
import { parseFilter } from './filter'
import { buildReadQuery } from './read-query'
import { parseSort } from './sort'
import { sqlFunctions } from './sql-functions'
import type { TableShape } from './table-shape'

const types = {
  manualSort: 'ManualSortPos',
  t: 'Text',
  n: 'Numeric',
  i: 'Int',
  b: 'Bool',
  d: 'Date',
  dt: 'DateTime:UTC',
  c: 'Choice',
  cl: 'ChoiceList',
  r: 'Ref:People',
  rl: 'RefList:People',
  a: 'Any',
  value: 'Text',
}
const table: TableShape = {
  tableId: 'V',
  columns: Object.entries(types).map(([id, type], i) => ({
    id,
    type: columnType(type),
    isFormula: false,
    hidden: id === 'manualSort',
    ref: i + 1,
    choices: id === 'c' ? ['z', 'x'] : undefined,
  })),
}
const context = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

const rows: Record<string, Cell>[] = [
  {
    t: 'apple',
    n: 1.5,
    i: 1,
    b: true,
    d: '2024-01-15',
    dt: '2024-01-15T10:00:00Z',
    c: 'x',
    cl: ['L', 'x', 'y'],
    r: 1,
    rl: ['L', 1, 2],
    a: 'text',
  },
  {
    t: 'Banana',
    n: -2,
    i: 10,
    b: false,
    d: '2023-05-01',
    dt: '2023-05-01T00:00:00Z',
    c: 'y',
    cl: ['L', 'y'],
    r: 2,
    rl: ['L', 2],
    a: 5,
  },
  { t: '', n: 0, i: 0, b: false, d: null, dt: null, c: '', cl: null, r: 0, rl: null, a: null },
  {
    t: 'cherry',
    n: 100,
    i: 2,
    b: true,
    d: '2025-12-31',
    dt: '2025-12-31T23:59:59Z',
    c: 'x',
    cl: ['L', 'z', 'x'],
    r: 1,
    rl: ['L', 2, 1],
    a: true,
  },
  {
    t: 'apple',
    n: 1.5,
    i: 20,
    b: true,
    d: '2024-01-15',
    dt: '2024-01-15T10:00:00Z',
    c: 'z',
    cl: ['L', 'x', 'y'],
    r: 2,
    rl: ['L', 1],
    a: '5',
  },
  {
    t: null,
    n: null,
    i: null,
    b: null,
    d: null,
    dt: null,
    c: null,
    cl: null,
    r: null,
    rl: null,
    a: 2.5,
  },
  {
    t: 'été',
    n: 'bad',
    i: 'bad',
    b: 'bad',
    d: 'bad',
    dt: 'bad',
    c: 'x',
    cl: 'x',
    r: 'Ann',
    rl: 'Ann',
    a: ['L', 1],
  },
]

const db = new Database(':memory:')
for (const [name, fn] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true }, fn)

function fill(cells: readonly Record<string, Cell>[]): void {
  const definitions = table.columns.map(({ id, type }) => `${quoteId(id)} ${type.affinity}`)
  db.exec(
    `DROP TABLE IF EXISTS V; CREATE TABLE V (id INTEGER PRIMARY KEY, ${definitions.join(',')})`,
  )
  const insert = db.prepare(`INSERT INTO V VALUES (?${',?'.repeat(table.columns.length)})`)
  cells.forEach((row, i) => {
    const values = table.columns.map(({ id, type }) =>
      id === 'manualSort'
        ? BigInt(i + 1)
        : type.toStored(row[id] ?? null, context, { noParse: false }),
    )
    insert.run(BigInt(i + 1), ...values)
  })
}

function ids(filter: unknown, sort: readonly string[] = [], limit = 0): number[] {
  const json = filter === undefined ? '' : JSON.stringify(filter)
  const query = buildReadQuery(
    table,
    { filter: parseFilter(json, table), sort: parseSort(sort, table), limit },
    { alias: 'v' },
  )
  const sql = `SELECT v.id FROM V AS v WHERE ${query.where} ORDER BY ${query.order.sql}`
  return db
    .prepare(sql)
    .pluck()
    .all(...query.params, ...query.order.params) as number[]
}

const refused = (reason: string, message: string) =>
  expect.objectContaining({
    code: 'invalid',
    reason,
    message: expect.stringContaining(message) as string,
  }) as Error

beforeEach(() => fill(rows))

describe('filter', () => {
  it.each<[unknown, number[]]>([
    [undefined, [1, 2, 3, 4, 5, 6, 7]],
    [{}, [1, 2, 3, 4, 5, 6, 7]],
    [[], [1, 2, 3, 4, 5, 6, 7]],
    [{ t: ['apple'] }, [1, 5]],
    [{ t: ['APPLE'] }, []],
    [{ t: ['apple', 'cherry'] }, [1, 4, 5]],
    [{ t: [''] }, [3]],
    [{ t: [null] }, [6]],
    [{ t: [] }, []],
    [{ n: [1.5] }, [1, 5]],
    [{ n: [100, -2] }, [2, 4]],
    [{ n: ['1.5'] }, []],
    [{ n: [null] }, [6]],
    [{ n: ['bad'] }, [7]],
    [{ n: [0] }, [3]],
    [{ i: [1, 10] }, [1, 2]],
    [{ i: [true] }, [1]],
    [{ b: [true] }, [1, 4, 5]],
    [{ b: [false] }, [2, 3, 6]],
    [{ b: [1] }, [1, 4, 5]],
    [{ b: [null] }, []],
    [{ d: [1705276800] }, [1, 5]],
    [{ d: [null] }, [3, 6]],
    [{ d: ['2024-01-15'] }, []],
    [{ dt: [1705312800] }, [1, 5]],
    [{ c: ['x', 'y'] }, [1, 2, 4, 7]],
    [{ cl: [['L', 'x', 'y']] }, []],
    [{ cl: ['x'] }, []],
    [{ cl: [null] }, [3, 6]],
    [{ r: [1] }, [1, 4]],
    [{ r: [0] }, [3, 6]],
    [{ r: ['Ann'] }, [7]],
    [{ rl: [['L', 1, 2]] }, []],
    [{ rl: ['Ann'] }, [7]],
    [{ a: [5] }, [2]],
    [{ a: ['5'] }, [5]],
    [{ a: [null] }, [3]],
    [{ a: [true] }, [4]],
    [{ a: [1] }, [4]],
    [{ id: [1, 3, 99] }, [1, 3]],
    [{ id: [] }, []],
    [{ id: ['1'] }, []],
    [{ id: [null, 2.5] }, []],
    [{ t: ['apple'], b: [true], i: [20] }, [5]],
    [{ t: [10] }, []],
    [{ manualSort: [2] }, [2]],
    [{ t: [null, 'cherry'] }, [4, 6]],
  ])('%j finds %j', (filter, found) => {
    expect(ids(filter)).toEqual(found)
  })

  it('takes thousands of values, of every kind, and gives the same answer', () => {
    const fillers = Array.from({ length: 40_000 }, (_, i) => `no ${i}`)
    expect(ids({ t: ['apple', null, ...fillers] })).toEqual([1, 5, 6])
    expect(ids({ n: [1.5, -2, 0.1, 1e20, 'bad', ...fillers] })).toEqual([1, 2, 5, 7])
    expect(ids({ id: Array.from({ length: 40_000 }, (_, i) => i + 5) })).toEqual([5, 6, 7])
  })

  it('finds long fractions, text with NUL and text like a list in a long list of values', () => {
    fill([{ n: 1 / 3, t: 'a\0b', rl: '[x', a: '\u0001' }, { n: 0.1 + 0.2 }])
    const more = Array.from({ length: 60 }, (_, i) => `${i}`)
    expect(ids({ n: [1 / 3, ...more] })).toEqual([1])
    expect(ids({ n: [0.1 + 0.2, ...more] })).toEqual([2])
    expect(ids({ t: ['a\0b', ...more] })).toEqual([1])
    expect(ids({ rl: ['[x'] })).toEqual([1])
    expect(ids({ a: ['\u0001'] })).toEqual([1])
  })

  it.each([
    ['not json', 'MALFORMED_JSON', 'filter is not valid JSON'],
    ['null', 'INVALID_FILTER', 'must be an object'],
    ['5', 'INVALID_FILTER', 'must be an object'],
    ['{"t":"apple"}', 'INVALID_FILTER', 'filter values must be arrays'],
    ['{"t":null}', 'INVALID_FILTER', 'filter values must be arrays'],
    ['{"Nope":[1]}', 'UNKNOWN_COLUMN', '"Nope"'],
    ['{"__proto__":[1]}', 'UNKNOWN_COLUMN', '"__proto__"'],
    ['{"t":["\\ud800"]}', 'MALFORMED_JSON', 'well-formed'],
    [`{"t":[${'['.repeat(5000)}${']'.repeat(5000)}]}`, 'INVALID_FILTER', 'nested'],
  ])('refuses %.30s', (json, reason, message) => {
    expect(() => parseFilter(json, table)).toThrow(refused(reason, message))
    expect(() => parseFilter(Buffer.from(json), table)).toThrow(refused(reason, message))
  })
})

describe('sort', () => {
  it.each<[string, number[]]>([
    ['t', [6, 3, 1, 5, 2, 4, 7]],
    ['-t', [7, 4, 2, 1, 5, 3, 6]],
    ['n', [2, 3, 1, 5, 4, 6, 7]],
    ['-n', [7, 6, 4, 1, 5, 3, 2]],
    ['i', [3, 1, 4, 2, 5, 6, 7]],
    ['-i', [7, 6, 5, 2, 4, 1, 3]],
    ['b', [2, 3, 6, 1, 4, 5, 7]],
    ['-b', [7, 1, 4, 5, 2, 3, 6]],
    ['d', [2, 1, 5, 4, 3, 6, 7]],
    ['-d', [7, 3, 6, 4, 1, 5, 2]],
    ['dt', [2, 1, 5, 4, 3, 6, 7]],
    ['c', [6, 3, 1, 4, 7, 2, 5]],
    ['r', [3, 6, 1, 4, 2, 5, 7]],
    ['-r', [7, 2, 5, 1, 4, 3, 6]],
    ['a', [4, 6, 2, 3, 7, 5, 1]],
    ['-a', [1, 5, 7, 3, 2, 6, 4]],
    ['id', [1, 2, 3, 4, 5, 6, 7]],
    ['-id', [7, 6, 5, 4, 3, 2, 1]],
    ['t,-i', [6, 3, 5, 1, 2, 4, 7]],
    ['-b,t', [7, 1, 5, 4, 6, 3, 2]],
    ['c,-n,id', [6, 3, 7, 4, 1, 2, 5]],
    ['manualSort', [1, 2, 3, 4, 5, 6, 7]],
    ['-manualSort', [7, 6, 5, 4, 3, 2, 1]],
    ['5,id', [2, 3, 6, 1, 4, 5, 7]],
    ['cl', [3, 6, 7, 1, 5, 2, 4]],
    ['rl', [3, 6, 5, 1, 2, 4, 7]],
    ['t:emptyLast', [1, 5, 2, 4, 7, 6, 3]],
    ['-t:emptyLast', [7, 4, 2, 1, 5, 3, 6]],
    ['c:orderByChoice', [6, 3, 5, 1, 4, 7, 2]],
    ['t:unknown;choiceOrder', [6, 3, 1, 5, 2, 4, 7]],
  ])('%s gives %j', (keys, order) => {
    expect(ids(undefined, keys.split(','))).toEqual(order)
  })

  it('puts text in the order of people, digits by their number when asked', () => {
    const texts = ['B1', 'a10', 'é', 'a2', '', 'E', 'e', 'Éa', 'z', 'a 1', 'A2', 'a02', 'ea']
    fill(texts.map((t) => ({ t })))
    const named = (keys: string[]) => ids(undefined, keys).map((id) => texts[id - 1])
    expect(named(['t'])).toEqual([
      '',
      'a 1',
      'a02',
      'a10',
      'a2',
      'A2',
      'B1',
      'e',
      'E',
      'é',
      'ea',
      'Éa',
      'z',
    ])
    expect(named(['t:naturalSort'])).toEqual([
      '',
      'a 1',
      'a2',
      'a02',
      'A2',
      'a10',
      'B1',
      'e',
      'E',
      'é',
      'ea',
      'Éa',
      'z',
    ])
  })

  it('compares lists item by item, numbers in them as numbers, and mixed cells by class', () => {
    const cells: Cell[] = [
      ['L', 10],
      'x',
      ['L', 9],
      ['L', 9, 1],
      false,
      -1,
      true,
      null,
      ['L', 'a'],
      1e300,
      ['L', -5],
    ]
    fill(cells.map((a) => ({ a })))
    expect(ids(undefined, ['a']).map((id) => cells[id - 1])).toEqual([
      false,
      true,
      -1,
      1e300,
      null,
      ['L', -5],
      ['L', 9],
      ['L', 9, 1],
      ['L', 10],
      ['L', 'a'],
      'x',
    ])
  })

  it.each(['Nope', '-', '', ' t', '+t', '999', '--t', '__proto__'])(
    'refuses the key %j and names it',
    (key) => {
      expect(() => parseSort([key], table)).toThrow(refused('UNKNOWN_SORT_KEY', 'unknown key '))
    },
  )

  it('knows when the order is that of the row ids', () => {
    const inIdOrder = (sort: string[]) =>
      buildReadQuery(table, { sort: parseSort(sort, table), limit: 0 }).inIdOrder
    expect([inIdOrder([]), inIdOrder(['id']), inIdOrder(['-id']), inIdOrder(['t'])]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
