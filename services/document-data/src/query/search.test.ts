import Database from 'better-sqlite3'
import fc from 'fast-check'
import moment from 'moment-timezone'
import { quoteId } from '../quoting/quote'
import type { Cell, StoredValue } from '../values/column-type'
import { columnType } from '../values/column-types'
import { withErrors } from '../values/error-cells'
import { tag } from '../values/tagged-text'
import { parseFilter } from './filter'
import { buildReadQuery } from './read-query'
import { readSearchLocale, requireSearchText, type SearchedColumn } from './search'
import { valueDisplayOf } from './value-display'
import { sqlFunctions } from './sql-functions'
import type { TableShape } from './table-shape'

const BERLIN = 'Europe/Berlin'
const column = (id: string, type: string, more: Partial<SearchedColumn> = {}): SearchedColumn => ({
  id,
  type: columnType(type),
  zone: BERLIN,
  ...more,
})
/** A column with a format, or without one for readers of a language. */
const formatted = (id: string, name: string, options: object, locale?: string): SearchedColumn => {
  const type = columnType(name)
  const shown = { type, options: { ...options }, zone: BERLIN }
  return column(id, name, { display: valueDisplayOf(shown, { locale, usual: 'en-US' }) })
}
const town = column('t', 'Text')
const columns: readonly SearchedColumn[] = [
  column('t', 'Text'),
  column('i', 'Int'),
  column('n', 'Numeric'),
  column('b', 'Bool'),
  column('d', 'Date'),
  column('dt', 'DateTime:Europe/Berlin'),
  formatted('nc', 'Numeric', { numMode: 'currency', currency: 'EUR', numSign: 'parens' }),
  formatted('np', 'Numeric', { numMode: 'percent' }, 'fr-FR'),
  formatted('nl', 'Numeric', {}, 'de-DE'),
  formatted('df', 'Date', { dateFormat: 'dddd, MMMM Do YYYY' }),
  formatted('dl', 'Date', {}, 'en-US'),
  formatted('tf', 'DateTime:Europe/Berlin', { dateFormat: 'DD/MM/YY', timeFormat: 'H:mm' }),
  formatted('to', 'DateTime:Europe/Berlin', { dateFormat: '[t] HH', timeFormat: 'D A' }),
  formatted('tl', 'DateTime:Europe/Berlin', {}, 'en-US'),
  column('cl', 'ChoiceList'),
  column('a', 'Any'),
  { ...column('f', 'Text'), type: withErrors(columnType('Text')) },
  column('p', 'Text', { pendingAfter: 0 }),
  column('s', 'Text', { stopped: 'time' }),
  column('r', 'Ref:Towns'),
  column('rs', 'Ref:Towns', { shown: { tableId: 'Towns', column: town } }),
  column('ri', 'Ref:Towns', { shown: { tableId: 'Towns', column: town, withIds: true } }),
  column('rl', 'RefList:Towns'),
  column('rli', 'RefList:Towns', { shown: { tableId: 'Towns', column: town, withIds: true } }),
  column('rls', 'RefList:Towns', { shown: { tableId: 'Towns', column: town } }),
]
const table: TableShape = {
  tableId: 'V',
  columns: columns.map(({ id, type }) => ({ id, type, isFormula: false, hidden: false })),
}
const context = { settings: { timezone: BERLIN, locale: 'en-US' }, widgetOptions: {} }
const towns = new Map<number, string>([
  [1, 'Köln'],
  [2, 'BONN'],
  [3, ''],
])

const db = new Database(':memory:')
for (const [name, run] of Object.entries(sqlFunctions))
  db.function(name, { deterministic: true, directOnly: true }, run)
db.exec(
  `CREATE TABLE V (id INTEGER PRIMARY KEY, ${columns
    .map(({ id, type }) => `${quoteId(id)} ${type.affinity}`)
    .join(', ')}); CREATE TABLE Towns (id INTEGER PRIMARY KEY, t TEXT)`,
)
for (const town of towns) db.prepare('INSERT INTO Towns VALUES (?, ?)').run(town)
afterAll(() => db.close())

type Row = Readonly<Record<string, Cell>>

/** Stores cells and returns them as read, with the stored value of the column of errors. */
function store(rows: readonly Row[]): Row[] {
  db.exec('DELETE FROM V')
  const names = columns.map(({ id }) => quoteId(id)).join(', ')
  const insert = db.prepare(`INSERT INTO V (${names}) VALUES (${columns.map(() => '?').join()})`)
  return rows.map((row) => {
    const stored = columns.map(({ id, type }): StoredValue => {
      const cell = row[id] ?? null
      const isError = id === 'f' && Array.isArray(cell)
      return isError ? tag(cell) : type.toStored(cell, context, { noParse: true })
    })
    insert.run(stored)
    return Object.fromEntries(
      columns.map(({ id, type }, i) => [id, type.fromStored(stored[i] ?? null)]),
    )
  })
}

/** Indexes of the rows found, from 0. */
function find(text: string, ids = columns.map(({ id }) => id)): number[] {
  const searched = columns.filter(({ id }) => ids.includes(id))
  const query = buildReadQuery(table, { search: { text, columns: searched }, sort: [], limit: 0 })
  const first = db.prepare('SELECT min(id) FROM V').pluck().get() as number
  const sql = `SELECT id FROM V WHERE ${query.where} ORDER BY id`
  return (db.prepare(sql).pluck().all(query.params) as number[]).map((id) => id - first)
}

// Reference model: what a person reads in a cell.

const isoTexts = (seconds: unknown, zone: string, withTime: boolean): string[] => {
  const date = new Date(Math.floor(seconds as number) * 1000)
  if (Number.isNaN(date.getTime())) return []
  return [
    new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      ...(withTime && { timeStyle: 'medium' }),
    }).format(date),
  ]
}
const usual = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ').replaceAll('\u2212', '-')
const inLanguage = (seconds: number, zone: string, withTime: boolean): string => {
  const at = Math.floor(seconds)
  const timeStyle = at % 60 === 0 ? ('short' as const) : ('medium' as const)
  const hasTime = withTime || seconds % 86_400 !== 0
  const style = { dateStyle: 'medium', timeZone: zone, ...(hasTime && { timeStyle }) } as const
  return usual(new Intl.DateTimeFormat('en-US', style).format(at * 1000))
}
/** The texts of numbers in a column with a format. */
const displays: Readonly<Record<string, (value: number) => string>> = {
  nc: (value) => {
    const style = { style: 'currency', currency: 'EUR' } as const
    const text = new Intl.NumberFormat('en-US', style).format(Math.abs(value))
    return value < 0 ? `(${text})` : text
  },
  np: (value) => new Intl.NumberFormat('fr-FR', { style: 'percent' }).format(value),
  nl: (value) => value.toLocaleString('de-DE', { useGrouping: false, maximumFractionDigits: 10 }),
  df: (value) => moment.utc(Math.floor(value) * 1000).format('dddd, MMMM Do YYYY'),
  dl: (value) => inLanguage(value, 'UTC', false),
  tf: (value) => moment.tz(Math.floor(value) * 1000, BERLIN).format('DD/MM/YY H:mm'),
  to: (value) => moment.tz(Math.floor(value) * 1000, BERLIN).format('[t] HH D A'),
  tl: (value) => inLanguage(value, BERLIN, true),
}
const texts = (cell: unknown): string[] => {
  if (typeof cell === 'string') return [cell]
  if (typeof cell === 'number') return [JSON.stringify(cell)]
  if (!Array.isArray(cell)) return []
  const [code, ...items] = cell as unknown[]
  if (code === 'L') return items.flatMap(texts)
  if (code === 'd') return isoTexts(items[0], 'UTC', false)
  if (code === 'D') return isoTexts(items[0], String(items[1]), true)
  return []
}
const label = (id: unknown) => towns.get(id as number) ?? ''
const isNumber = (cell: Cell): cell is number => typeof cell === 'number'
const readings: Readonly<Record<string, (cell: Cell) => string[]>> = {
  d: (cell) => (isNumber(cell) ? isoTexts(cell, 'UTC', false) : texts(cell)),
  dt: (cell) => (isNumber(cell) ? isoTexts(cell, BERLIN, true) : texts(cell)),
  p: () => [],
  s: () => [],
  rs: (cell) => (isNumber(cell) ? [label(cell)] : texts(cell)),
  ri: (cell) => (isNumber(cell) ? [label(cell), String(cell)] : texts(cell)),
  rli: (cell) =>
    Array.isArray(cell) ? [...cell.slice(1).map(label), ...texts(cell)] : texts(cell),
  rls: (cell) => (Array.isArray(cell) ? cell.slice(1).map(label) : texts(cell)),
}
function readCell(id: string, cell: Cell): readonly string[] {
  const display = displays[id]
  if (!display || !isNumber(cell)) return (readings[id] ?? texts)(cell)
  const plain = /^d/.test(id) ? isoTexts(cell, 'UTC', false) : isoTexts(cell, BERLIN, true)
  return [...(/^n/.test(id) ? texts(cell) : plain), usual(display(cell))]
}
function matches(row: Row, text: string): boolean {
  const part = text.toLowerCase()
  return Object.entries(row).some(([id, cell]) =>
    readCell(id, cell).some((each) => each.toLowerCase().includes(part)),
  )
}

const word = fc.oneof(
  fc.constantFrom(
    'Ada',
    'ADA',
    'Straße',
    'STRASSE',
    'İstanbul',
    'ΣΑΣ',
    '\u212a',
    'a\0b',
    '%_',
    '"',
    '["L"]',
    '1.5',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)
const number = fc.oneof(
  fc.integer({ min: -50, max: 5000 }),
  fc.constantFrom(1.5, 0.1, 1e21, 1e-7, -2.25, 1e300, 2 ** 53 + 2),
)
const seconds = fc.oneof(
  fc.integer({ min: -2e9, max: 4e9 }),
  fc.constantFrom(0, -0.5, 1709251199.5, 1711846800, 1729994400),
)
const id = fc.integer({ min: 0, max: 4 })
const orText = <T>(cell: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: cell }, word, fc.constant(null))
const list = (item: fc.Arbitrary<unknown>) =>
  fc.array(item, { maxLength: 3 }).map((items): unknown[] => ['L', ...items])
const row = fc.record({
  t: orText(word),
  i: orText(fc.integer({ min: -500, max: 500 })),
  n: orText(number),
  b: fc.oneof(fc.boolean(), word),
  d: orText(seconds),
  dt: orText(seconds),
  ...Object.fromEntries(['nc', 'np', 'nl'].map((key) => [key, orText(number)])),
  ...Object.fromEntries(['df', 'dl', 'tf', 'to', 'tl'].map((key) => [key, orText(seconds)])),
  cl: orText(list(word)),
  a: orText(
    fc.oneof(
      number,
      fc.boolean(),
      list(fc.oneof(word, number, fc.boolean(), fc.constant(null), list(word))),
      seconds.map((at) => ['d', at]),
      seconds.map((at) => ['D', at, 'America/New_York']),
      fc.constant(['E', 'ValueError']),
    ),
  ),
  f: fc.oneof(word, fc.constant(['E', 'ValueError', 'Ada'])),
  p: word,
  s: word,
  r: orText(id),
  rs: orText(id),
  ri: orText(id),
  rli: orText(list(fc.integer({ min: 1, max: 4 }))),
  rl: orText(list(fc.integer({ min: 1, max: 4 }))),
  rls: orText(list(fc.integer({ min: 1, max: 4 }))),
}) as unknown as fc.Arbitrary<Row>

const needle = fc.oneof(
  word,
  fc.constantFrom(
    'a',
    'ada',
    'ö',
    'KÖL',
    'nn',
    '1',
    '20',
    '-',
    '.',
    'e',
    '2024-',
    '3',
    '1970',
    '03-01',
    '01 0',
    't',
    'T',
    'mar',
    'day',
    'PM',
    'th 2',
    ', 20',
    '/03',
    '€',
    '€1',
    '(',
    '0 %',
    '1,5',
    ',5',
    '.00',
    ':59',
    'ValueError',
    'true',
    'L',
    ', ',
    '+',
    ' ',
  ),
)

describe('a search', () => {
  it('finds the rows of which a cell, as a person reads it, contains the text', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), needle, (rows, text) => {
        fc.pre(text !== '')
        const read = store(rows)
        const expected = read.flatMap((each, i) => (matches(each, text) ? [i] : []))
        expect(find(text)).toEqual(expected)
      }),
      { numRuns: 400 },
    )
  })

  it('does not find all dates by the T of their notation', () => {
    store([{ dt: 1709251200, tl: 1709251200, a: ['D', 1709251200, 'UTC'] }, { t: 'tea' }])
    expect(find('t')).toEqual([1])
  })

  it('finds numbers and dates as they are shown', () => {
    store([{ nc: -1234.5 }, { np: 0.5 }, { df: 1709251200 }, { dl: 1709251200 }])
    expect(find('€1,234.50)')).toEqual([0])
    expect(find('50 %')).toEqual([1])
    expect(find('50\u00a0%')).toEqual([1])
    expect(find('friday, march 1st')).toEqual([2])
    expect(find('Mar 1, 2024')).toEqual([3])
    expect(find('2024-03-01')).toEqual([2, 3])
  })

  it('looks only at the columns that it is given', () => {
    store([{ t: 'Ada', n: 7 }, { t: 'Bob 7' }])
    expect(find('7')).toEqual([0, 1])
    expect(find('7', ['t'])).toEqual([1])
    expect(find('7', ['b'])).toEqual([])
  })

  it('shows a reference of another reference as its row id', () => {
    const chain = { tableId: 'V', column: column('r', 'Ref:Towns') }
    const searched = [column('rs', 'Ref:V', { shown: chain })]
    store([{ r: 23 }, { rs: 1 }])
    const first = db.prepare('SELECT min(id) FROM V').pluck().get() as number
    db.prepare('UPDATE V SET rs = ? WHERE rs = 1').run(first)
    const request = { search: { text: '23', columns: searched }, sort: [], limit: 0 }
    const { where, params } = buildReadQuery(table, request)
    const found = db.prepare(`SELECT id FROM V WHERE ${where}`).pluck().all(params)
    expect(found).toEqual([first + 1])
  })

  it('composes with a filter, and takes a table of as many columns as there can be', () => {
    const wide = Array.from({ length: 1900 }, (_, i) => ({
      ...column(`c${i}`, 'Numeric'),
      type: withErrors(columnType('Numeric')),
    }))
    const names = wide.map(({ id }) => quoteId(id))
    db.exec(`CREATE TABLE W (id INTEGER PRIMARY KEY, ${names.join()})`)
    db.prepare('INSERT INTO W (c1899) VALUES (42)').run()
    const shape = { tableId: 'W', columns: [] }
    const search = { text: '42', columns: wide }
    const filter = new Map([['id', [1]]])
    const { where, params } = buildReadQuery(shape, { search, filter, sort: [], limit: 0 })
    expect(db.prepare(`SELECT id FROM W WHERE ${where}`).pluck().all(params)).toEqual([1])
  })

  it('is refused together with a filter of more values than a statement can bind', () => {
    const shown = { tableId: 'W', column: column('c0', 'Text'), withIds: true }
    const columns = Array.from({ length: 1900 }, (_, i) => ({
      ...column(`c${i}`, 'RefList:W'),
      shown,
    }))
    const shape = {
      tableId: 'W',
      columns: [{ ...column('c0', 'ChoiceList'), hidden: false, isFormula: false }],
    }
    const hasAny = Array.from({ length: 50 }, (_, i) => i)
    const or = Array.from({ length: 499 }, () => ({ c0: { hasAny } }))
    const filter = parseFilter(JSON.stringify({ or }), shape)
    const request = { filter, sort: [], limit: 0 }
    expect(buildReadQuery(shape, request).params).toHaveLength(499 * 50)
    expect(() => buildReadQuery(shape, { ...request, search: { text: 'x', columns } })).toThrow(
      'filter has too many values',
    )
  })

  it('has no language where nothing can be shown in it, and refuses text that names none', () => {
    expect(readSearchLocale('en-GB')).toBe('en-GB')
    for (const unsupported of ['sco', 'an', 'gn-PY', undefined])
      expect(readSearchLocale(unsupported)).toBeUndefined()
    for (const wrong of ['', 'x', 'no tag', 'en_GB'])
      expect(() => readSearchLocale(wrong)).toThrow('search.locale must be a language tag')
  })

  it.each(['', 'x'.repeat(201)])('refuses a text of other lengths', (text) => {
    expect(() => requireSearchText(text)).toThrow('search must have 1 to 200 characters')
  })
})
