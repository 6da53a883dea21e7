import Database from 'better-sqlite3'
import fc from 'fast-check'
import {
  bindArgs,
  listParameters,
  mentionsSelect,
  readRowLookup,
  withoutSemicolon,
  wrap,
} from './statement'

const bind = (sql: string, args: Parameters<typeof bindArgs>[1]) =>
  bindArgs(listParameters(sql), args)

describe('the text of a statement', () => {
  it('has to have the word select, and may end in one semicolon', () => {
    expect(mentionsSelect('WITH x AS (SeLeCt 1) table x')).toBe(true)
    expect(mentionsSelect('values (1)')).toBe(false)
    expect(withoutSemicolon('select 1 ; ')).toBe('select 1 ')
    expect(withoutSemicolon("select ';'")).toBe("select ';'")
    expect(wrap('select 1 -- x')).toBe('SELECT * FROM (\nselect 1 -- x\n)')
  })
})

describe('a lookup of a row', () => {
  it.each<[string, string, (number | string)[], (bigint | number | string)[]]>([
    ['select * from T where id = 5', 'select * from T where id = ?', [], [5n]],
    [
      'SELECT a, "b c" FROM "T" WHERE "id"=? ; ',
      'SELECT a, "b c" FROM "T" WHERE "id"=?',
      ['x'],
      ['x'],
    ],
    [' select\na\n,b from T\nwhere ID = 007', ' select\na\n,b from T\nwhere ID = ?', [], [7n]],
  ])('is recognized, and gets a parameter for the id: %j', (sql, prepared, given, args) => {
    expect(readRowLookup(sql, given)).toEqual({ sql: prepared, args })
  })

  it.each([
    'select * from T',
    'select * from T where id = 5 or 1',
    'select * from T where id = 5 limit 1',
    'select * from T where id = -5',
    'select * from T where id = 5.0',
    'select * from T where id = 1234567890123456',
    'select * from T where id = :id',
    'select * from T where id = ?1',
    'select * from T where id in (5)',
    'select * from T where (id) = 5',
    'select * from T where a = 5',
    'select * from T t where id = 5',
    'select * from main.T where id = 5',
    'select * from T, U where id = 5',
    'select * from (select 1) where id = 5',
    'select a+1 from T where id = 5',
    'select a b from T where id = 5',
    'select f(a) from T where id = 5',
    "select 'a' from T where id = 5",
    'select *, a from T where id = 5',
    'select T.a from T where id = 5',
    'select "a""b" from T where id = 5',
    'select * from T where id = 5 -- x',
    'select * from T where id = 5\u00a0',
    'select * from T where id = ?;\ufeff',
    'select\u2003* from T where id = 5',
    'select * from T where id = 5; select 1',
    'with x as (select 1) select * from x where id = 5',
    `select ${'a, '.repeat(2000)}a from T where id = 5`,
    `select * from ${'T'.repeat(65)} where id = 5`,
  ])('is nothing else: %s', (sql) => {
    expect(readRowLookup(sql, [])).toBeUndefined()
  })

  it('with an id of its own takes no argument', () => {
    expect(readRowLookup('select * from T where id = 5', [5])).toBeUndefined()
  })
})

describe('parameters', () => {
  it.each<[string, (string | undefined)[]]>([
    ['select 1', []],
    ['select ?, ?', [undefined, undefined]],
    ['select ?3, ?', [undefined, undefined, '?3', undefined]],
    ['select :a, @b, $c, :a, ?', [':a', '@b', '$c', undefined]],
    ['select \'?\', "?", `?`, [?], -- ?\n 1 /* ? */, ?', [undefined]],
    ["select 'it''s ?', ?", [undefined]],
    ['select a?1, b$c, x:y', ['?1', ':y']],
  ])('are found as SQLite finds them: %s', (sql, names) => {
    expect(listParameters(sql)).toEqual(names)
  })

  it('get their values by position, null when there is none', () => {
    expect(bind('select ?, :a, ?', ['x', 2n])).toEqual(['x', null, { a: 2n }])
    expect(() => bind('select ?', [1, 2])).toThrow('column index out of range')
    expect(() => bind('select :a, @a', [])).toThrow('are ambiguous')
  })

  it('are as many as the driver wants, whatever the statement', () => {
    const db = new Database(':memory:')
    const part = fc.constantFrom(
      '?',
      '?1',
      '?4',
      ':a',
      '@b',
      '$c1',
      "'?'",
      '"x"',
      '[y?]',
      '1',
      '-- ?\n1',
      '/*:z*/1',
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const quoted = parts.map((text) => (/^["[]/.test(text) ? `1 AS ${text}` : text))
        const sql = `SELECT ${quoted.join(', ')}`
        const names = listParameters(sql)
        const values = names.map((_, i) => BigInt(i + 1))
        expect(db.prepare(sql).get(...bind(sql, values))).toBeDefined()
      }),
    )
    db.close()
  })
})
