import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { toAppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { defaultSqlLimits } from '../../src/config'
import { isAlive, listSqlProcesses } from '../support/processes'
import { runSql, runSqlBytes, type TestStatement } from '../support/run-sql'
import { TestInstance } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

const count = 'with recursive c(n) as (select 1 union all select n + 1 from c)'

describe('hostile SQL', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start({ sql: { ...defaultSqlLimits, timeoutMs: 3000 } })
    docId = await instance.clients.createDocument()
    await instance.clients.add(docId, 'Table1', [{ A: 'seen', B: 1 }])
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const run = (sql: string, statement?: TestStatement) =>
    runSql(instance.clients, docId, sql, statement)

  /** What a statement ends in: the text of its result, or its error. */
  async function outcome(sql: string, statement: TestStatement = {}) {
    try {
      return { text: (await runSqlBytes(instance.clients, docId, sql, statement)).bytes.toString() }
    } catch (error) {
      const { code, reason, message } = toAppError(error) ?? {}
      return { code, reason, message }
    }
  }

  it.each([
    // What Sheaf keeps for itself, under all names that it could have.
    'select * from _sheaf_log',
    'select * from _SHEAF_log',
    'select * from main._sheaf_log',
    'select * from "_sheaf_log"',
    'select * from [_sheaf_log]',
    'select * from `_sheaf_log`',
    'select/**/seq/**/from/**/_sheaf_log',
    'select * from (select * from (select seq from _sheaf_log))',
    'select (select count(*) from _sheaf_files)',
    'select 1 where exists (select 1 from _sheaf_replies)',
    'select 1 from Table1 where id in (select seq from _sheaf_log)',
    'select count(*) from _sheaf_log',
    'select 1 union all select epoch from _sheaf_state',
    'with Table1 as (select * from _sheaf_log) select * from Table1',
    'select * from Table1 natural join _sheaf_log',
    'select * from Table1 left join _sheaf_refs on true',
    'select * from Table1 order by (select max(seq) from _sheaf_log)',
    "select json_group_array(json_object('a', operations)) from _sheaf_log",
    'select no_such_column from _sheaf_log',
    'select rowid from _sheaf_file_chunks',
    'select key from _sheaf_replies indexed by sqlite_autoindex__sheaf_replies_1',
    // The schema and other tables of SQLite.
    'select * from sqlite_schema',
    'select * from sqlite_master',
    'select * from main.sqlite_master',
    'select * from temp.sqlite_schema',
    'select * from sqlite_temp_master',
    'select count(*) from "sqlite_master"',
    'select * from dbstat',
    "select * from dbstat('main', 1)",
    'select * from sqlite_stat1',
    'select * from sqlite_stat4',
    'select * from sqlite_sequence',
    "select * from pragma_table_info('Table1')",
    'select * from pragma_table_list',
    'select * from pragma_database_list',
    'select * from pragma_function_list',
    'select * from pragma_compile_options',
    "select * from pragma_journal_mode('delete')",
    'select * from pragma_wal_checkpoint',
    'select * from fts5vocab',
    'select * from fts3tokenize',
    'select * from rtree',
    // Functions that do more than compute.
    "select load_extension('/tmp/evil')",
    "select rtreecheck('main', '_sheaf_log')",
    "select fts3_tokenizer('simple')",
    "select sqlite_log(1, 'x')",
    'select sqlite_compileoption_get(1)',
    'select last_insert_rowid()',
    // What is no query, hidden in one.
    "attach '/etc/passwd' as x -- select",
    "select 1; attach 'x' as y",
    "vacuum into '/tmp/select'",
    'pragma writable_schema = on -- select',
    'pragma table_info(Table1) -- select',
    'begin -- select',
    'explain select 1',
    'explain query plan select 1',
    'insert into Table1 (A) select 1',
    'insert into Table1 (A) values (1) returning (select 1)',
    'with x as (select 1) update Table1 set A = 2',
    'create table x as select 1',
    'create temp view x as select 1',
    "select writefile('/tmp/x', 'y')",
    "select readfile('/etc/passwd')",
    "select * from csv('/etc/passwd')",
    "select edit('x')",
    // Texts that would get out of what they are put into.
    'select 1) union all select * from (select seq from _sheaf_log',
    'select 1) union all select * from (select 2',
    'Table1 /* select */',
    'select 1 /* ',
    "select '",
    'select 1 \0; select * from _sheaf_log',
    'select * from _sheaf_log\0',
    'select * from "_sheaf_log\0"',
    'select * from _ſheaf_log',
    'ｓelect * from _sheaf_log -- select',
    'select * from _sheaf_log\u200b',
  ])('is refused: %s', async (sql) => {
    const { code, reason, message = '' } = await outcome(sql)
    expect({ code, reason }).toEqual({ code: 'invalid', reason: 'INVALID_SQL' })
    expect(message).not.toMatch(/seq|epoch|operations|\/tmp|\bat /)
  })

  it('may call a table of its own by any name', async () => {
    expect(await run('with _sheaf_log(a) as (select 1) select a from _sheaf_log')).toEqual([
      { a: 1 },
    ])
    expect(await run("select '_sheaf_log' as a, 'sqlite_master' as b")).toHaveLength(1)
  })

  it.each([
    ['counts without end', `${count} select count(*) from c`],
    ['gives rows without end', `${count} select n from c`],
    ['sorts without end', `${count} select hex(randomblob(200)) as a from c order by 1`],
    ['joins without end', `${count} select count(*) from c a, c b, c d`],
    ['makes a long text', 'select hex(zeroblob(400000000)) as a'],
    ['makes a long blob', 'select zeroblob(999999999) as a'],
    ['makes a random blob', 'select randomblob(999999999) as a'],
    ['pads a text', "select printf('%*d', 500000000, 1) as a"],
    [
      'replaces again and again',
      `select replace(replace(hex(zeroblob(50000)), '0', hex(zeroblob(5000))), '0', hex(zeroblob(500))) as a`,
    ],
    ['puts texts together', `${count} select group_concat(hex(zeroblob(10000))) as a from c`],
    ['collects JSON', `${count} select json_group_array(hex(zeroblob(10000))) as a from c`],
    ['keeps all rows of a window', `${count} select sum(n) over (order by n desc) as a from c`],
    ['asks for all that differ', `${count} select distinct hex(randomblob(100)) as a from c`],
    [
      'matches a hard pattern',
      "select replace(hex(zeroblob(20000)), '0', 'a') like '%a%a%a%a%a%a%a%a%a%a%a%b' as a",
    ],
    [
      'is nested deeply',
      `select ${'('.repeat(900)}1${')'.repeat(900)} as a, ${'abs('.repeat(900)}1${')'.repeat(900)} as b`,
    ],
    ['is nested too deeply', `select ${'('.repeat(20_000)}1${')'.repeat(20_000)}`],
    ['has very many terms', `select ${Array.from({ length: 1900 }, (_, i) => `${i}`).join(',')}`],
    ['has very many parts', Array.from({ length: 499 }, () => 'select 1').join(' union all ')],
    [
      'joins too many tables',
      `select 1 from ${Array.from({ length: 65 }, (_, i) => `Table1 t${i}`).join(',')}`,
    ],
    ['makes JSON that is nested', `select json(replace(hex(zeroblob(500000)), '0', '[')) as a`],
  ])('ends, whatever it does, and the next statement is served: one that %s', async (_, sql) => {
    const { code, reason, text } = await outcome(sql, { timeoutMs: 400 })
    // This machine may be too busy to give it 400 ms.
    if (reason !== 'SERVICE_BUSY') expect(code ?? 'answered').toMatch(/^(invalid|answered)$/)
    expect(text?.length ?? 0).toBeLessThan(defaultSqlLimits.maxBytes)
    expect(await run('select A from Table1')).toEqual([{ A: 'seen' }])
  })

  it('may call every function there is, in any way', async () => {
    const db = new Database(':memory:')
    const names = db.prepare('select distinct name from pragma_function_list').pluck().all()
    db.close()
    const values = ['', "'a'", "'main', 'Table1'", "x'ff', -1, '$'"]
    expect(names.length).toBeGreaterThan(100)
    const calls = (names as string[]).flatMap((name) => values.map((args) => `"${name}"(${args})`))
    for (const call of calls) {
      const { code, text = '' } = await outcome(`select ${call} as a from Table1`)
      expect(code ?? 'answered').toMatch(/^(invalid|answered)$/)
      expect(text.replace(/^.*?"records"/, '')).not.toMatch(/_sheaf_|root|sqlite_/)
    }
  })

  it('never gets a 5xx and never sees what is Sheaf’s own, whatever the text', async () => {
    const word = fc.constantFrom(
      ...'select from where _sheaf_log _sheaf_state sqlite_master Table1 A B * ( ) , ; ? :a 1 "A" \'x\' union all with recursive as json_each pragma_table_info count -- /* */ [ ] ` order by limit group having over values || \0 é'.split(
        ' ',
      ),
    )
    const text = fc.oneof(
      fc.array(word, { maxLength: 14 }).map((words) => `select ${words.join(' ')}`),
      fc.string({ maxLength: 40, unit: 'binary' }).map((some) => `select ${some}`),
    )
    await fc.assert(
      fc.asyncProperty(text, async (sql) => {
        const { code, text: json } = await outcome(sql)
        expect(code ?? 'answered').toMatch(/^(invalid|answered)$/)
        if (json) expect(JSON.stringify(JSON.parse(json).records)).not.toMatch(/traceparent|epoch/)
      }),
      { numRuns: 100 },
    )
  })
})

describe('processes for SQL', () => {
  it('have no environment', async () => {
    await using instance = await TestInstance.start()
    const docId = await instance.clients.createDocument()
    await runSql(instance.clients, docId, 'select 1 as a')
    const pids = listSqlProcesses()
    expect(pids.length).toBeGreaterThan(0)
    for (const pid of pids) {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
      const names = [...environment.matchAll(/([^=\0]+)=[^\0]*/g)].map(([, name]) => name)
      // Set by the shell.
      for (const name of names) expect(name).toMatch(/^(PWD|OLDPWD|SHLVL|_)$/)
    }
  })

  it('that are killed are replaced, and the statements that they ran are run again', async () => {
    const sql = { ...defaultSqlLimits, timeoutMs: 20_000 }
    await using instance = await TestInstance.start({ sql })
    const docId = await instance.clients.createDocument()
    await runSql(instance.clients, docId, 'select 1 as a')
    const before = listSqlProcesses()
    expect(before.length).toBeGreaterThan(0)
    const slow = `${count.slice(0, -1)} limit 2000) select count(*) as n from c`
    const running = Array.from({ length: 3 }, () => runSql(instance.clients, docId, slow))
    for (const pid of before) process.kill(pid, 'SIGKILL')
    // Until then one may be taken for usable again.
    while (before.some(isAlive));
    for (const rows of await Promise.all(running)) expect(rows).toEqual([{ n: 2000 }])
    await eventually(() => listSqlProcesses().some((pid) => !before.includes(pid)))
    expect(await runSql(instance.clients, docId, 'select 1 as a')).toEqual([{ a: 1 }])
  })

  it('that break down were taken for statements that need too much memory', async () => {
    await using instance = await TestInstance.start({
      sql: { ...defaultSqlLimits, timeoutMs: 20_000 },
    })
    const docId = await instance.clients.createDocument()
    await runSql(instance.clients, docId, 'select 1 as a')
    const before = listSqlProcesses()
    const slow = runSql(
      instance.clients,
      docId,
      `${count.slice(0, -1)} limit 1e9) select count(*) as n from c`,
    )
    const failed = expect(slow).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'WORKER_FAILED',
    })
    // Not before the statement runs: killed earlier, the processes would be replaced unnoticed.
    const worked = before.map(processorTicks)
    await eventually(() => before.some((pid, i) => processorTicks(pid) > (worked[i] ?? 0) + 5))
    for (const pid of before) process.kill(pid, 'SIGSEGV')
    await failed
    // A statement that is given to the spare process before its end is noticed fails as well.
    await eventually(() => !listSqlProcesses().some((pid) => before.includes(pid)))
    expect(await runSql(instance.clients, docId, 'select 1 as a')).toEqual([{ a: 1 }])
  })

  it('end with their parent, also while they work', async () => {
    const dist = join(__dirname, '../../dist')
    const program = `
      const { SqlChild } = require(${JSON.stringify(join(dist, 'sql/sql-child.js'))})
      const { createDocumentBytes } = require(${JSON.stringify(join(dist, 'store/documents/new-document.js'))})
      const path = require('node:path').join(require('node:fs').mkdtempSync(require('node:os').tmpdir() + '/sheaf-sql-'), 'document.sqlite')
      const author = { userId: 1, cause: 'api', traceparent: '' }
      require('node:fs').writeFileSync(path, createDocumentBytes({ timezone: 'UTC', locale: 'en-US' }, author).bytes)
      const keep = require('better-sqlite3')(path)
      keep.prepare('select * from _sheaf_log').all()
      setInterval(() => {}, 1000)
      const child = new SqlChild({ memoryBytes: 2 ** 28 }, {
        ready() {
          const request = { path, sql: ${JSON.stringify(`${count} select count(*) from c`)}, args: [], maxRows: 1, maxBytes: 1e6 }
          child.run(request, 1e6, { signal: new AbortController().signal, onRevoked: () => {} }).catch(() => {})
          setTimeout(() => console.log(child.pid), 300)
        },
        ended() {},
      })`
    const parent = spawn(process.execPath, ['-e', program], {
      cwd: join(__dirname, '../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(line.toString())
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await eventually(() => !isAlive(pid))
  })

  it('leave another document’s statements and writes alone, and send away what is too much', async () => {
    const sql = { ...defaultSqlLimits, timeoutMs: 500, waiting: 6 }
    await using instance = await TestInstance.start({ sql })
    const { clients } = instance
    const [busy, calm] = [await clients.createDocument(), await clients.createDocument()]
    const hostile = Array.from({ length: 10 }, () =>
      runSql(clients, busy, `${count} select count(*) from c`).catch((error: unknown) => error),
    )
    expect(await runSql(clients, calm, 'select 1 as a', { userId: 77 })).toEqual([{ a: 1 }])
    expect(await clients.add(calm, 'Table1', [{ A: 'x' }])).toHaveLength(1)
    const reasons = (await Promise.all(hostile)).map((error) => toAppError(error)?.reason)
    // On a machine that is busy otherwise, a statement may not get its processor time.
    const ends = reasons.map((reason) => (reason === 'SERVICE_BUSY' ? 'SQL_TIMEOUT' : reason))
    expect(new Set(ends)).toEqual(new Set(['SQL_TIMEOUT', 'DOCUMENT_BUSY']))
  })

  it('stop working for a caller who has gone', async () => {
    await using instance = await TestInstance.start({
      sql: { ...defaultSqlLimits, timeoutMs: 100_000 },
    })
    const { clients } = instance
    const docId = await clients.createDocument()
    const gone = new AbortController()
    const endless = runSql(clients, docId, `${count} select count(*) from c`, {
      signal: gone.signal,
    })
    const ended = expect(endless).rejects.toBeDefined()
    const next = runSql(clients, docId, 'select 1 as a')
    gone.abort()
    await ended
    expect(await next).toEqual([{ a: 1 }])
  })
})

/** Processor time of a process in ticks of 10 ms. */
function processorTicks(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return (user ?? 0) + (system ?? 0)
}
