import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { tableFromIPC } from 'apache-arrow'
import { defaultSqlLimits } from '../../src/config'
import { runSql, runSqlBytes, type TestStatement } from '../support/run-sql'
import { TestInstance } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

describe('SQL', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start({ sql: { ...defaultSqlLimits, timeoutMs: 20_000 } })
    docId = await instance.clients.createDocument()
    await instance.clients.addTable(docId, 'Pets', {
      Name: 'Text',
      Age: 'Int',
      Weight: 'Numeric',
      Good: 'Bool',
      Tags: 'ChoiceList',
    })
    await instance.clients.add(docId, 'Pets', [
      { Name: 'Rex', Age: 3, Weight: 12.5, Good: true, Tags: ['L', 'a', 'b'] },
      { Name: 'été', Age: null, Weight: 4, Good: false, Tags: null },
    ])
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const run = (sql: string, statement?: TestStatement) =>
    runSql(instance.clients, docId, sql, statement)

  it('answers rows with cells as they are stored', async () => {
    expect(await run('select * from Pets order by id')).toEqual([
      { id: 1, manualSort: 1, Name: 'Rex', Age: 3, Weight: 12.5, Good: 1, Tags: '["a","b"]' },
      { id: 2, manualSort: 2, Name: 'été', Age: null, Weight: 4, Good: 0, Tags: null },
    ])
  })

  it('shows errors, lists and dates of a column of any type as JSON that its functions read', async () => {
    const doc = await instance.clients.createDocument()
    await instance.clients.addTable(doc, 'T', { A: 'Any', N: 'Int' })
    const cells = [['L', 1, 'x'], ['d', 1704067200], true, 2.5, 'text']
    await instance.clients.add(
      doc,
      'T',
      cells.map((A, N) => ({ A, N })),
    )
    const select = (sql: string) => runSql(instance.clients, doc, sql)
    expect(await select('select A from T order by id')).toEqual(
      ['["L",1,"x"]', '["d",1704067200]', 'true', 2.5, 'text'].map((A) => ({ A })),
    )
    expect(await select("select N from T where json_valid(A) and A ->> '$[2]' = 'x'")).toEqual([
      { N: 0 },
    ])
    // What is added later is there as well.
    await instance.clients.columns.addColumns(
      {
        docId: doc,
        tableId: 'T',
        columns: [ColumnUpdate.fromPartial({ id: 'Later', fields: { type: 'Int' } })],
      },
      await instance.clients.as(doc, 'editors'),
    )
    expect(await select('select Later from T limit 1')).toEqual([{ Later: 0 }])
    await expect(select('select rowid from T')).rejects.toMatchObject({
      message: 'SQLITE_ERROR: no such column: rowid; use id',
    })
    expect(await select('select rowid from main.T limit 1')).toEqual([{ rowid: 1 }])
    await instance.clients.addTable(doc, 'U', { B: 'Any' })
    await instance.clients.add(doc, 'U', [{ B: ['L', 2] }])
    const both = 'select json_extract(T.A, ?) as a, U.B as b from T, U where T.id = 1'
    expect(await runSql(instance.clients, doc, both, { args: ['$[1]'] })).toEqual([
      { a: 1, b: '["L",2]' },
    ])
  })

  it('answers no rows, values of every kind, and columns of one name with a suffix', async () => {
    expect(await run('select Name from Pets where id = 9')).toEqual([])
    expect(await run("select 1, 1, x'0102' as b, 9e999 as i, null as n, 1.5 as r")).toEqual([
      { 1: 1, '1:1': 1, b: { type: 'Buffer', data: [1, 2] }, i: null, n: null, r: 1.5 },
    ])
    expect(await run('select 9007199254740993 as big')).toEqual([{ big: 9007199254740992 }])
  })

  it('reads the metadata of the document', async () => {
    const tables = await run('select tableId from _grist_Tables order by id')
    expect(tables).toEqual([{ tableId: 'Table1' }, { tableId: 'Pets' }])
    expect(await run('select count(*) as n from _grist_Tables_column')).toEqual([{ n: 10 }])
  })

  it.each<[string, unknown, Record<string, unknown>[]]>([
    ['select Name from Pets where Age = ?', [3], [{ Name: 'Rex' }]],
    ['select typeof(?) as a, typeof(?) as b', [3, 3.5], [{ a: 'integer', b: 'real' }]],
    ['select ?2 as a, ? as b, :n as c', [1, 'x', true], [{ a: 'x', b: 1, c: null }]],
    [
      'select ? as a, \'?\' as b, "Name" as [?] from Pets limit 1',
      [],
      [{ a: null, b: '?', '?': 'Rex' }],
    ],
    ['select ? as a /* ? */ -- ?', [null], [{ a: null }]],
    ['select Name from Pets limit ?', [1], [{ Name: 'Rex' }]],
  ])('gives parameters their values by position: %s', async (sql, args, rows) => {
    expect(await run(sql, { args })).toEqual(rows)
  })

  it('takes statements of every form that SELECT has', async () => {
    for (const sql of [
      'select 1 as a;',
      '  select 1 as a ; ',
      'select 1 as a -- a comment',
      '/* a comment */ select 1 as a',
      'with x as (select 1 as a) select a from x',
      'select a from (select 1 as a union all select 2) where a < 2',
      "SELECT value AS a FROM json_each('[1]')",
      "select sum(value) over () as a from json_tree('[1]') where type = 'integer'",
    ])
      expect(await run(sql)).toEqual([{ a: 1 }])
  })

  it('writes the rows in other forms, with all digits', async () => {
    const sql = "select id, Name, 9007199254740993 as big, x'ff' as b from Pets order by id"
    const of = async (format: ResultFormat) =>
      (await runSqlBytes(instance.clients, docId, sql, { format })).bytes
    expect((await of(ResultFormat.NDJSON)).toString()).toBe(
      '{"id":1,"Name":"Rex","big":9007199254740993,"b":{"type":"Buffer","data":[255]}}\n' +
        '{"id":2,"Name":"été","big":9007199254740993,"b":{"type":"Buffer","data":[255]}}\n',
    )
    expect((await of(ResultFormat.CSV)).toString()).toBe(
      'id,Name,big,b\n1,Rex,9007199254740993,ff\n2,été,9007199254740993,ff\n',
    )
    const table = tableFromIPC(await of(ResultFormat.ARROW))
    expect(table.toArray().map((row) => (row as { toJSON(): object }).toJSON())).toEqual([
      { id: 1n, Name: 'Rex', big: 9007199254740993n, b: new Uint8Array([255]) },
      { id: 2n, Name: 'été', big: 9007199254740993n, b: new Uint8Array([255]) },
    ])
    const none = 'select Name from Pets where id = 9'
    const empty = await runSqlBytes(instance.clients, docId, none, { format: ResultFormat.NDJSON })
    expect(empty).toMatchObject({ messages: 1, bytes: Buffer.alloc(0) })
  })

  it('tells which moment it shows, and answers who knows that moment with nothing', async () => {
    const sql = 'select count(*) as n from Pets'
    const before = await runSqlBytes(instance.clients, docId, sql)
    const etag = before.first?.etag ?? ''
    expect(etag).toMatch(/^[0-9a-f-]{36}\.\d+$/)
    const options = { ifNoneMatch: [etag] }
    const same = await runSqlBytes(instance.clients, docId, sql, { options })
    expect(same).toMatchObject({ first: { notModified: true, etag }, bytes: Buffer.alloc(0) })
    const [rowId] = await instance.clients.add(docId, 'Pets', [{ Name: 'Kit' }])
    const after = await runSqlBytes(instance.clients, docId, sql, { options })
    expect(after.first?.etag).not.toBe(etag)
    expect(after.first?.seq).toBe((before.first?.seq ?? 0) + 1)
    expect(JSON.parse(after.bytes.toString())).toMatchObject({ records: [{ fields: { n: 3 } }] })
    await instance.clients.remove(docId, 'Pets', [rowId])
  })

  it.each<[string, string, ...number[]]>([
    ['only select statements are supported', 'delete from Pets'],
    ['only select statements are supported', ''],
    ['SQLITE_ERROR: near ";": syntax error', 'select 1; select 2'],
    ['SQLITE_ERROR: near ";": syntax error', 'select 1; drop table Pets'],
    ['SQLITE_ERROR: near ";": syntax error', 'select 1) ; select 2 --'],
    ['SQLITE_ERROR: near "select": syntax error', 'explain select 1'],
    ['SQLITE_ERROR: near "delete": syntax error', 'with x as (select 1) delete from Pets'],
    ['SQLITE_ERROR: no such table: Nope', 'select * from Nope'],
    ['SQLITE_ERROR: no such column: Nope', 'select Nope from Pets'],
    ['SQLITE_ERROR: no such function: readfile', "select readfile('/etc/passwd')"],
    ['SQLITE_ERROR: column index out of range', 'select 1', 1],
    ['SQLITE_ERROR: parameters :a and $a are ambiguous', 'select :a, $a', 1, 2],
    ['SQLITE_ERROR: unrecognized token: NUL', 'select 1 \0 from Pets'],
  ])('refuses with SQLite’s words: %s', async (message, sql, ...args) => {
    await expect(run(sql, { args })).rejects.toMatchObject({
      code: 'invalid',
      reason: 'INVALID_SQL',
      message,
    })
  })

  it('refuses arguments that are no values, and what is longer than it may be', async () => {
    for (const args of [[{}], [[1]], [1, [2]]])
      await expect(run('select ?, ?', { args })).rejects.toMatchObject({
        reason: 'INVALID_PAYLOAD',
        metadata: { userError: expect.stringMatching(/body\.args\[\d\]/) as string },
      })
    await expect(run('select 1', { args: {} })).rejects.toMatchObject({ reason: 'INVALID_PAYLOAD' })
    for (const statement of [{ args: ['x'.repeat(1024 * 1024)] }, { format: 9 }])
      await expect(run('select ?', statement)).rejects.toMatchObject({ reason: 'BAD_FIELD' })
  })

  it('needs a viewer', async () => {
    await expect(run('select 1', { role: 'members' })).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('ends a document’s statements when it is deleted, and runs none any more', async () => {
    const { clients } = instance
    const doomed = await clients.createDocument()
    const endless =
      'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c'
    await runSql(clients, doomed, 'select 1')
    const running = runSql(clients, doomed, endless)
    const ended = expect(running).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' })
    // Of another user: one has a single process here.
    await runSql(clients, docId, 'select 1', { userId: 77 })
    await clients.documents.deleteDocument(
      { docId: doomed, keeps: false },
      await clients.asSystem(),
    )
    await ended
    await expect(runSql(clients, doomed, 'select 1')).rejects.toMatchObject({
      reason: 'DOCUMENT_DELETED',
    })
  })
})

describe('limits of a result', () => {
  it('answer what is larger with an error before anything is sent', async () => {
    const sql = { ...defaultSqlLimits, timeoutMs: 20_000, maxRows: 1000, maxBytes: 1024 * 1024 }
    await using instance = await TestInstance.start({ sql })
    const docId = await instance.clients.createDocument()
    const rows = (n: number) =>
      `with recursive c(n) as (select 1 union all select n + 1 from c limit ${n}) select n from c`
    expect(await runSql(instance.clients, docId, rows(1000))).toHaveLength(1000)
    for (const large of [
      rows(1001),
      'select hex(zeroblob(600000)) as a',
      'select zeroblob(1100000) as a',
      `select hex(zeroblob(5000)) as a from (${rows(200)})`,
    ])
      for (const format of [ResultFormat.JSON, ResultFormat.CSV, ResultFormat.ARROW])
        await expect(runSqlBytes(instance.clients, docId, large, { format })).rejects.toMatchObject(
          {
            code: 'invalid',
            reason: 'SQL_TOO_LARGE',
            message: 'the result has more than 1000 rows or 1 MiB',
          },
        )
  })
})
