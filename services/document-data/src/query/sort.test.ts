import Database from 'better-sqlite3'
import fc from 'fast-check'
import { columnType } from '../values/column-types'
import { orderTerms, parseSort } from './sort'
import { sortKey } from './sort-keys'
import { sqlFunctions } from './sql-functions'
import type { TableShape } from './table-shape'

const table: TableShape = {
  tableId: 'T',
  columns: [{ id: 't', type: columnType('Text'), isFormula: false, hidden: false, ref: 1 }],
}

describe('text', () => {
  const db = new Database(':memory:')
  for (const [name, fn] of Object.entries(sqlFunctions)) db.function(name, fn)
  afterAll(() => db.close())

  function sorted(texts: readonly string[], key: string): string[] {
    const { sql, params } = orderTerms(table, parseSort([key], table), '')
    const rows = `SELECT key AS id, value AS t FROM json_each(?) ORDER BY ${sql}`
    const found = db.prepare(`SELECT t FROM (${rows})`).pluck()
    return found.all(JSON.stringify(texts), ...params) as string[]
  }

  it('sorts by its sort key, all ASCII or not', () => {
    const parts = [
      'a',
      'A',
      'b',
      'B',
      'é',
      'É',
      'ﬁ',
      'FI',
      'ａ',
      'Ａ',
      '①',
      '1',
      ' ',
      '~',
      '\u{10ffff}',
    ]
    const text = fc.oneof(
      fc.array(fc.constantFrom(...parts), { maxLength: 4 }).map((chosen) => chosen.join('')),
      fc.string({ unit: 'grapheme' }),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), fc.boolean(), (texts, isDescending) => {
        const found = sorted(texts, isDescending ? '-t' : 't')
        expect([...found].sort()).toEqual([...texts].sort())
        const keys = found.map((t) => Buffer.from(sortKey(t) ?? ''))
        if (isDescending) keys.reverse()
        for (const [i, key] of keys.entries())
          expect(Buffer.compare(keys[i - 1] ?? key, key)).toBeLessThanOrEqual(0)
      }),
      { numRuns: 300 },
    )
  })
})
