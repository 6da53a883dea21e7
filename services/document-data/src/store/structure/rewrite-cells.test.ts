import Database from 'better-sqlite3'
import { Connection } from '../sqlite/connections'
import { rewriteCells } from './rewrite-cells'

let connection: Connection
beforeEach(() => {
  connection = new Connection(new Database(':memory:'))
  connection.db.exec('CREATE TABLE "T" ("id" INTEGER PRIMARY KEY, "A", "B")')
})
afterEach(() => connection.close())

function fill(cells: readonly (string | number | bigint | null)[]): void {
  const insert = connection.prepare('INSERT INTO "T" VALUES (?, ?, ?)')
  // Ids have gaps and are not in order.
  cells.forEach((cell, i) => insert.run((cells.length - i) * 3, cell, 'stays'))
}

const rewrite = (convert: (value: unknown) => string | number | bigint | null) =>
  rewriteCells(connection, { tableId: 'T', colId: 'A', convert })

it('changes the cells that become others, and tells what was there', () => {
  fill(['3', 'x', null, '1'])
  const changed = rewrite((value) => (Number(value) > 0 ? BigInt(value as string) : 'no number'))

  expect(changed).toEqual({
    rowIds: [3, 6, 9, 12],
    old: ['1', null, 'x', '3'],
    after: [1, 'no number', 'no number', 3],
  })
  expect(connection.raw('SELECT id, "A", typeof("A"), "B" FROM "T"').all()).toEqual([
    [3, 1, 'integer', 'stays'],
    [6, 'no number', 'text', 'stays'],
    [9, 'no number', 'text', 'stays'],
    [12, 3, 'integer', 'stays'],
  ])
})

it('leaves alone what stays as it is', () => {
  fill(['a', 'b', 'c'])
  expect(rewrite((value) => (value === 'b' ? null : (value as string)))).toEqual({
    rowIds: [6],
    old: ['b'],
    after: [null],
  })
  expect(connection.pluck('SELECT total_changes()').get()).toBe(4)
})

it('keeps an index of the column right', () => {
  fill(Array.from({ length: 3_000 }, (_, i) => i))
  connection.db.exec('CREATE INDEX "of A" ON "T" ("A")')
  rewrite((value) => 3_000 - (value as number))

  const byIndex = 'SELECT count(*) FROM "T" INDEXED BY "of A" WHERE "A" BETWEEN 1 AND 1000'
  expect(connection.pluck(byIndex).get()).toBe(1_000)
  expect(connection.pluck('PRAGMA integrity_check').get()).toBe('ok')
})

it('changes nothing when the conversion fails, and works again afterwards', () => {
  fill(['a', 'b'])
  const fail = () => {
    throw new Error('cannot be converted')
  }
  expect(() => rewrite(fail)).toThrow('cannot be converted')
  expect(connection.pluck('SELECT "A" FROM "T" ORDER BY id').all()).toEqual(['b', 'a'])
  expect(rewrite(() => 'c').rowIds).toEqual([3, 6])
})
