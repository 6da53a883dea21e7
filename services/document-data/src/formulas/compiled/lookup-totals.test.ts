import Database from 'better-sqlite3'
import fc from 'fast-check'
import type { LogValue, Operation, RowOperation } from '../../store/log/log'
import type { Column, Table } from '../../store/schema/schema'
import { Connection } from '../../store/sqlite/connections'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import { keyText } from '../dependencies/lookup-keys'
import { LookupTotals, totalOf } from './lookup-totals'

const REFS: Readonly<Record<string, number>> = { K: 1, R: 2, V: 3 }
const table = { ref: 7, tableId: 'T' } as Table
const column = (id: string, name: string) =>
  ({ table, column: { id, ref: REFS[id], type: { name } } as Column }) as const
const key = column('K', 'Text')
const reference = column('R', 'Ref')
const value = column('V', 'Numeric')
const lookupBy = (...columns: ColumnOfTable[]) => ({
  ...{ table, columns, order: [] },
  contains: columns.map(() => false),
})
const lookups = [lookupBy(key), lookupBy(key, reference), lookupBy(reference), lookupBy()]

const cells = fc.record({
  K: fc.constantFrom<LogValue[]>('a', 'b', null),
  R: fc.constantFrom<LogValue[]>(0, 1, null),
  V: fc.constantFrom<LogValue[]>(0, 1, -7, 0.5, 'odd', null, 2 ** 53 - 1),
})
type Cells = Record<string, LogValue>
const change = fc.record({
  kind: fc.constantFrom('add', 'update', 'update', 'remove'),
  rows: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
  cells,
  columns: fc.subarray(Object.keys(REFS), { minLength: 1 }),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Applies a change as the store does. Returns its operation, if any row is concerned. */
function apply({ db }: Connection, { kind, rows, cells, columns }: Change): Operation[] {
  const present = db.prepare<number, Cells>('SELECT K, R, V FROM T WHERE id = ?')
  const names = kind === 'update' ? columns : Object.keys(REFS)
  const found = rows.map((id) => ({ id, old: present.get(id) }))
  const concerned = found.filter(({ old }) => (old === undefined) === (kind === 'add'))
  if (concerned.length === 0) return []
  for (const { id } of concerned) {
    if (kind === 'add') db.prepare('INSERT INTO T VALUES (?, ?, ?, ?)').run(id, ...values(cells))
    if (kind === 'remove') db.prepare('DELETE FROM T WHERE id = ?').run(id)
    for (const name of kind === 'update' ? names : [])
      db.prepare(`UPDATE T SET ${name} = ? WHERE id = ?`).run(cells[name as 'K'], id)
  }
  const operation: RowOperation = {
    kind: `${kind as 'add'}_rows`,
    table: 'T',
    tableRef: table.ref,
    rowIds: concerned.map(({ id }) => id),
    columns: names.map((id) => ({
      ...{ id, ref: REFS[id] ?? 0, type: '' },
      ...(kind !== 'add' && { old: concerned.map(({ old }) => old?.[id] ?? null) }),
    })),
  }
  return [operation]
}

const values = ({ K = null, R = null, V = null }: Cells) => [K, R, V]

/** All kept totals that differ from those of the rows as they are. */
function wrong({ db }: Connection, totals: LookupTotals): unknown[] {
  const rows = db.prepare<[], Cells>('SELECT K, R, V FROM T').all()
  return forEachTotal((of, keys) => {
    const isFound = (row: Cells) =>
      of.lookup.columns.every(({ column: { id } }, i) =>
        id === 'R' ? (row.R ?? 0) === keys[i] : row[id] === keys[i],
      )
    const kept = totals.find(of, keyText(keys))
    const fresh = totalOf(rows.filter(isFound).map(({ V = null }) => (of.value ? V : null)))
    const isSame = !kept || JSON.stringify(kept) === JSON.stringify(fresh)
    if (kept === undefined && fresh.size <= Number.MAX_SAFE_INTEGER)
      totals.keep(of, keyText(keys), fresh)
    return isSame ? [] : [{ kept, fresh }]
  })
}

function forEachTotal(
  run: (of: Parameters<LookupTotals['find']>[0], keys: LogValue[]) => unknown[],
): unknown[] {
  return lookups.flatMap((lookup) =>
    [undefined, value].flatMap((of) =>
      ['a', 'b', null].flatMap((text) =>
        [0, 1].flatMap((ref) => {
          const keys = lookup.columns.map(({ column: { id } }) => (id === 'R' ? ref : text))
          return run({ lookup, value: of }, keys)
        }),
      ),
    ),
  )
}

describe('totals of lookups', () => {
  let connection: Connection
  beforeEach(() => {
    connection = new Connection(new Database(':memory:'))
    connection.db.exec('CREATE TABLE T (id INTEGER PRIMARY KEY, K, R, V)')
  })
  afterEach(() => connection.close())

  it('are those of the rows after any groups of writes', () => {
    const groups = fc.array(fc.array(change, { minLength: 1, maxLength: 5 }), { maxLength: 8 })
    fc.assert(
      fc.property(groups, (list) => {
        connection.db.exec('DELETE FROM T')
        const totals = new LookupTotals()
        expect(wrong(connection, totals)).toEqual([])
        for (const group of list) {
          const operations = group.flatMap((one) => apply(connection, one))
          totals.follow(connection, operations)
          expect(wrong(connection, totals)).toEqual([])
        }
      }),
    )
  })

  it('are forgotten when a column changes', () => {
    const totals = new LookupTotals()
    const of = { lookup: lookupBy(key), value }
    totals.keep(of, keyText(['a']), totalOf([1, 2]))
    expect(totals.find(of, keyText(['a']))?.sum).toBe(3)
    const operation = { kind: 'update_column', table: 'T', tableRef: 7, column: 'V', columnRef: 3 }
    totals.follow(connection, [operation as Operation])
    expect(totals.find(of, keyText(['a']))).toBeUndefined()
  })

  it('are kept for the latest keys only', () => {
    const totals = new LookupTotals()
    const of = { lookup: lookupBy(key) }
    const count = 2_000
    for (let i = 0; i < count; i++) totals.keep(of, keyText([`key ${i}`]), totalOf([null]))
    const kept = Array.from({ length: count }, (_, i) => totals.find(of, keyText([`key ${i}`])))
    expect(kept.filter((total) => total !== undefined).length).toBeLessThan(count / 2)
    expect(kept.at(-1)).toBeDefined()
  })
})
