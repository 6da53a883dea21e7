import Database from 'better-sqlite3'
import fc from 'fast-check'
import { Connection } from '../../store/sqlite/connections'
import type { CompiledColumn } from './compiled-columns'
import { readRows } from './row-cells'

const column = (id: string) => ({ table: { tableId: 'T' }, column: { id } })
const formula = {
  of: column('F'),
  formula: { ownColumns: [column('A'), column('B')] },
} as unknown as CompiledColumn

const cell = fc.oneof(
  fc.constantFrom(null, '', 'a\u0000"\\\n', '😀', 5n, 9_007_199_254_740_993n, 1e16, Infinity),
  fc.double({ noNaN: true }).map((value) => value + 0),
  fc.string(),
)
/** The first ones are JSON to SQLite: true, and 0.5. */
const bytes = fc.constantFrom(
  Buffer.from([1]),
  Buffer.from([0x35, 0x30, 0x2e, 0x35]),
  Buffer.from([255]),
)

describe('the cells of rows to compute', () => {
  let connection: Connection
  beforeEach(() => {
    connection = new Connection(new Database(':memory:'))
    connection.db.exec('CREATE TABLE T (id INTEGER PRIMARY KEY, A, B, F)')
  })
  afterEach(() => connection.close())

  it.each([
    ['of all kinds', cell],
    ['some of them bytes', fc.oneof(cell, bytes)],
  ])('%s, are the same by a range as by ids', (_, kind) => {
    const rows = fc.array(fc.tuple(kind, kind, kind), { maxLength: 8 })
    fc.assert(
      fc.property(rows, fc.nat(9), (given, from) => {
        connection.db.exec('DELETE FROM T')
        const insert = connection.db.prepare('INSERT INTO T VALUES (?, ?, ?, ?)')
        given.forEach((cells, index) => insert.run(2 * index, ...cells))
        const ids = given.map((_, index) => 2 * index).filter((id) => id >= from)
        const byIds = readRows(connection, formula, { rows: ids })
        expect(byIds.ids).toEqual(ids)
        expect(readRows(connection, formula, { from, to: 99 })).toEqual(byIds)
        const [first] = readRows(connection, formula, { from, to: 99, limit: 1 }).ids
        expect(first).toBe(ids[0])
      }),
    )
  })
})
