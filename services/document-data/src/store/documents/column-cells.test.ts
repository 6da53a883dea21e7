import Database from 'better-sqlite3'
import fc from 'fast-check'
import { storedNumber } from '../../values/numbers/number-storage'
import type { LogValue } from '../log/log'
import type { Column, Table } from '../schema/schema'
import { Connection } from '../sqlite/connections'
import { ColumnCells } from './column-cells'

const COUNT = 100

function open(): { db: Database.Database; cells: ColumnCells } {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE T (id INTEGER PRIMARY KEY, "F ""x""")')
  const insert = db.prepare('INSERT INTO T (id) VALUES (?)')
  for (let id = 1; id <= COUNT; id++) insert.run(id)
  const of = { table: { tableId: 'T' } as Table, column: { id: 'F "x"' } as Column }
  return { db, cells: new ColumnCells(new Connection(db), of) }
}

const ids = Array.from({ length: COUNT }, (_, index) => index + 1)
const value: fc.Arbitrary<LogValue> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(2 ** 53, -(2 ** 53), 2 ** 60, 1e300, 5e-324, 0.1 + 0.2),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('\u0001["E","ValueError"]', '', null),
)

describe('cells of a column', () => {
  it('are stored by one statement as they are one by one', () => {
    const list = fc.array(value, { minLength: COUNT, maxLength: COUNT })
    fc.assert(
      fc.property(list, (values) => {
        const { db, cells } = open()
        const other = open()
        cells.write(ids, values)
        const update = other.db.prepare('UPDATE T SET "F ""x""" = ? WHERE id = ?')
        values.forEach((one, index) =>
          update.run(typeof one === 'number' ? storedNumber(one) : one, index + 1),
        )
        const all = 'SELECT "F ""x""" AS f, typeof("F ""x""") AS type FROM T ORDER BY id'
        expect(db.prepare(all).all()).toEqual(other.db.prepare(all).all())
        expect(cells.read(ids)).toEqual(cells.read([...ids].reverse()).reverse())
      }),
    )
  })

  it('are read where rows are missing or JSON cannot hold them', () => {
    const { db, cells } = open()
    cells.write(ids, ids)
    db.exec('DELETE FROM T WHERE id = 3')
    expect(cells.read(ids)).toEqual(ids.map((id) => (id === 3 ? undefined : id)))
    db.exec(`INSERT INTO T VALUES (3, x'00ff')`)
    expect(cells.read(ids)[2]).toEqual(Buffer.from([0, 255]))
  })
})
