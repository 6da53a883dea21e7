import Database from 'better-sqlite3'
import { findRefusal, hasNoLoop, type ProgramStep } from './statement-check'

const db = new Database(':memory:')
db.exec(`
  CREATE TABLE T (id INTEGER PRIMARY KEY, a TEXT, b, c);
  CREATE INDEX by_b ON T (b);
  CREATE INDEX by_lower ON T (lower(a)) WHERE c > 1;
  CREATE TABLE U (id INTEGER PRIMARY KEY, x, y);
  CREATE TABLE W (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
  CREATE TABLE secret (id INTEGER PRIMARY KEY, s UNIQUE);
  CREATE VIEW shown AS SELECT s FROM secret;
`)
afterAll(() => void db.close())

const rootOf = (name: string) =>
  db.prepare('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').pluck().all(name) as number[]
const secret = new Set([1, ...rootOf('secret')])

function check(sql: string): string | undefined {
  const steps = db.prepare(`EXPLAIN SELECT * FROM (\n${sql}\n)`).raw().all() as ProgramStep[]
  return findRefusal(steps, {
    isReadable: (root) => !secret.has(root),
    isReadableVirtual: () => false,
  })
}

describe('the check of a statement', () => {
  it.each([
    'select * from T a, T b, T c, T d limit 3 offset 1',
    'select * from T left join U on T.id = U.x and T.b = U.y',
    'select * from T full join U on T.id = U.x right join W on v = y',
    'select * from T natural join W cross join U',
    'select a, sum(b) over (partition by c order by id rows between 1 preceding and 1 following exclude current row) from T',
    'select lag(a) over w, ntile(3) over w, first_value(b) over w, nth_value(b, 2) over w, percent_rank() over w, cume_dist() over w, row_number() over w from T window w as (order by b desc nulls last)',
    'select sum(b) over (order by b range between 1 preceding and 1.5 following), min(b) over (order by b groups 2 preceding) from T',
    "select string_agg(a, ',') filter (where b > 1), count(distinct a), group_concat(a, '-' order by b) from T group by c having count(*) > 0",
    'select distinct a, b from T order by c, random() limit 5',
    'select a from T union select x from U',
    'select a from T union all select x from U order by 1 limit 5',
    'select a from T intersect select x from U except select k from W',
    'select * from T where b in (1, 2, 3) or a in (select x from U) or c between 1 and 3',
    "select * from T where (a, b) in (select x, y from U) and (a, b) > ('x', 1)",
    'select * from T where not exists (select 1 from W where k = T.a) and (select max(y) from U where U.id = T.id) > 1',
    'select max(b), a, count(*), avg(b), total(b), median(b), percentile(b, 50) from T',
    'select * from T indexed by by_b where b > 1 and b < 5 order by b desc',
    "select * from T where a like 'x%' escape '\\' or a glob 'y*' or a is not null or b is distinct from c",
    "select a from T where lower(a) = 'x' and c > 1",
    'with recursive c(n) as (select 1 union select n + 1 from c where n < 10 order by 1 desc limit 5) select * from c join c d',
    'with x as materialized (select * from T) select * from x a join x b where a.b = 1',
    "select case b when 1 then 'one' else 'x' end, cast(b as real), a collate nocase, -b, ~b, not b, b << 1, b | 1, b % 2, b || a, b is true from T",
    "select iif(b, 1, 2), coalesce(a, b), likely(b), date('now'), strftime('%Y', 'now'), current_timestamp from T",
    "select json_group_array(a), json_object('a', b), json_extract(a, '$'), a -> '$.x' from T",
    "select hex(x'00ff'), 1e400, 9223372036854775807, printf('%d', b), replace(a, 'x', 'y') from T",
    'select * from T where id between 1 and 5 order by id desc',
    'select * from (values (1, 2), (3, 4)) v where column1 in (values (1), (2))',
    'select U.x, count(T.id) from U left join T on T.b = U.y group by U.x order by 2 desc',
    'select a.id from T a join T b on a.b = b.b join T c on b.c = c.c where c.a = 1 group by 1 order by 1',
  ])('lets pass: %s', (sql) => {
    expect(check(sql)).toBeUndefined()
  })

  it.each([
    ['not authorized', 'select * from secret'],
    ['not authorized', 'select * from shown'],
    ['not authorized', 'select 1 from T where id in (select s from secret)'],
    ['not authorized', 'select s from secret where s = 1'],
    ['not authorized', 'select count(*) from secret'],
    ['not authorized', 'select * from sqlite_schema'],
    ['not authorized', 'select * from temp.sqlite_schema'],
    ['not authorized', "select * from pragma_table_info('T')"],
    ['not authorized', "select * from json_each('[]')"],
    ['not authorized to use function: load_extension', "select load_extension('x')"],
    ['not authorized to use function: rtreecheck', "select rtreecheck('main', 'T') from T"],
    ['not authorized to use function: fts3_tokenizer', "select iif(0, fts3_tokenizer('x'), 1)"],
  ])('refuses, %s: %s', (reason, sql) => {
    expect(check(sql)).toBe(reason)
  })

  it('refuses steps that it does not know, and roots that are not told', () => {
    const openable = { isReadable: () => true, isReadableVirtual: () => true }
    const step = (name: string, p3 = 0, p5 = 0): ProgramStep => [0, name, 0, 2, p3, null, p5]
    expect(findRefusal([step('OpenRead')], openable)).toBeUndefined()
    for (const bad of [
      step('OpenWrite'),
      step('Destroy'),
      step('VUpdate'),
      step('SomethingNew'),
      step('OpenRead', 1),
      step('OpenRead', 0, 0x10),
      step('Function'),
    ])
      expect(findRefusal([step('OpenRead'), bad], openable)).toMatch(/^not authorized/)
  })
})

describe('a program without loops', () => {
  const isStraight = (sql: string) =>
    hasNoLoop(db.prepare(`EXPLAIN SELECT * FROM (\n${sql}\n)`).raw().all(1) as ProgramStep[])

  it.each([
    'select * from T where id = ?',
    'select a, c, case when b > 1 then lower(a) else a end from T where id = ?',
    "select json_array('E', substr(a, 2)) from T where id = ? and c > 1",
  ])('is that of %s', (sql) => {
    expect(isStraight(sql)).toBe(true)
  })

  it.each([
    'select * from T where b = ?',
    'select * from T where id > ?',
    'select * from T where id in (1, ?)',
    'select count(*) from T where id <> ?',
    'select * from T, U where T.id = ?',
    'select (select max(x) from U) from T where id = ?',
    'select * from T where id = ? union all select id, a, b, c from T',
    'with recursive c(n) as (select ? union all select n + 1 from c) select n from c',
    'select v from W where k = ?',
  ])('is not that of %s', (sql) => {
    expect(isStraight(sql)).toBe(false)
  })
})
