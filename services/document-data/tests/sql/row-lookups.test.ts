import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { toAppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { addTables } from '../../src/store/structure/tables'
import { RowLookups } from '../../src/sql/row-lookups'
import { listSqlProcesses } from '../support/processes'
import { runSql, runSqlBytes, type TestStatement } from '../support/run-sql'
import { TestInstance } from '../support/test-instance'
import { addColumns, author, buildWorkers, createTable, openStore } from '../support/test-store'

describe('a statement that looks up one row', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start()
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Pets', {
      Name: 'Text',
      Age: 'Int',
      Kind: 'Any',
      Tags: 'ChoiceList',
    })
    await clients.add(docId, 'Pets', [
      { Name: 'Rex "the" dog', Age: 3, Kind: ['L', 'a', 1], Tags: ['L', 'a'] },
      { Name: 'été\u2028', Age: null, Kind: ['E', 'TypeError', 'no'], Tags: null },
      { Name: 'x'.repeat(100_000), Age: 'three', Kind: 2.5, Tags: null },
    ])
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  /** The result or the error of a statement, without its own text. */
  async function outcome(sql: string, statement: TestStatement = {}) {
    try {
      const { first, bytes } = await runSqlBytes(instance.clients, docId, sql, statement)
      const { records } = JSON.parse(bytes.toString()) as { records: unknown }
      return { records, seq: first?.seq, etag: first?.etag }
    } catch (error) {
      const { code, reason, message, metadata } = toAppError(error) ?? {}
      return { code, reason, message, metadata }
    }
  }

  const statements: readonly (readonly [sql: string, args?: unknown[]])[] = [
    ['select * from Pets where id = 1'],
    ['SELECT Name, Age FROM Pets WHERE id = 2;'],
    ['select "Kind", id, Kind from "Pets" where "id" = 2'],
    ['select * from Pets where id = 3'],
    ['select * from Pets where id = 999999999999999'],
    ['select * from Pets where id = 0'],
    ['select * from Pets where id = ?', [2]],
    ['select Name from Pets where id = ?', ['1']],
    ['select Name from Pets where id = ?', ['one']],
    ['select Name from Pets where id = ?', [1.5]],
    ['select Name from Pets where id = ?', [true]],
    ['select Name from Pets where id = ?', [null]],
    ['select Name from Pets where id = ?', []],
    ['select Name from Pets where id = ?', [1, 2]],
    ['select Name from Pets where id = 1', [1]],
    ['select rowid from Pets where id = 1'],
    ['select no_such from Pets where id = 1'],
    ['select Nam from Pets where id = 1'],
    ['select * from Pet where id = 1'],
    ['select distinct from Pets where id = 1'],
    ['select current_date from Pets where id = 1'],
    ['select * from _grist_Tables where id = 1'],
    ['select * from _sheaf_log where id = 1'],
    ['select seq from "_sheaf_log" where "id" = 1'],
    ['select * from _sheaf_state where id = 1'],
    ['select * from sqlite_schema where id = 1'],
    ['select name from sqlite_master where id = 1'],
    ['select * from json_each where id = 1'],
    ['select * from pragma_database_list where id = 1'],
  ]
  it.each(statements.map(([sql, args]) => ({ sql, args })))(
    'has the outcome that it has in a process of its own: $sql $args',
    async ({ sql, args }) => {
      const elsewhere = sql.replace(/id = ([?\d]+)/, '(id = $1)').replace('"id"', '("id")')
      expect(elsewhere).not.toBe(sql)
      const expected = await outcome(elsewhere, { args })
      expect(await outcome(sql, { args })).toEqual(expected)
      // Once more, prepared.
      expect(await outcome(sql, { args })).toEqual(expected)
    },
  )

  it('needs no process, unlike any other statement', async () => {
    const run = (sql: string) => runSql(instance.clients, docId, sql)
    await run('select count(*) from Pets')
    const processes = listSqlProcesses()
    expect(processes).not.toEqual([])
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    try {
      expect(await run('select Age from Pets where id = 1')).toEqual([{ Age: 3 }])
    } finally {
      for (const pid of processes) process.kill(pid, 'SIGCONT')
    }
  })

  it('sees every write and every change of the schema before it', async () => {
    const { clients } = instance
    const doc = await clients.createDocument()
    await clients.addTable(doc, 'T', { A: 'Int' })
    await clients.add(doc, 'T', [{ A: 0 }])
    const read = () => runSql(clients, doc, 'select * from T where id = 1')
    for (let value = 1; value <= 20; value++) {
      await clients.update(doc, 'T', [{ id: 1, fields: { A: value } }])
      expect(await read()).toMatchObject([{ id: 1, A: value }])
    }
    await clients.columns.addColumns(
      {
        docId: doc,
        tableId: 'T',
        columns: [ColumnUpdate.fromPartial({ id: 'B', fields: { type: 'Any' } })],
      },
      await clients.as(doc, 'editors'),
    )
    expect(await read()).toMatchObject([{ A: 20, B: null }])
    for (const B of [['d', 86400], 'text', ['L', 1]]) {
      await clients.update(doc, 'T', [{ id: 1, fields: { B } }])
      expect(await read()).toEqual(await runSql(clients, doc, 'select * from T where (id = 1)'))
    }
    await clients.remove(doc, 'T', [1])
    expect(await read()).toEqual([])
  })
})

describe('lookups', () => {
  it('read the file that a document has after it was closed and its file replaced', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { maxOpen: 1 })
    using lookups = new RowLookups()
    const docIds: string[] = []
    for (const A of [1, 2, 3]) {
      const docId = await createTable(store, 'T', { A: 'Int' })
      await addColumns(store, docId, 'T', new Map([['A', [A]]]))
      docIds.push(docId)
    }
    const find = (docId: string) =>
      store
        .readFile(docId, (doc) =>
          lookups.run(doc, { sql: 'select A from T where id = 1', args: [], format: undefined }),
        )
        ?.bytes.toString()
    for (const [at, docId] of docIds.entries()) expect(find(docId)).toContain(`"A":${at + 1}`)
    const [first = '', second = ''] = docIds
    const pathOf = (docId: string) => join(folder.path, docId.slice(0, 2), docId, 'document.sqlite')
    await rename(pathOf(second), pathOf(first))
    expect(find(first)).toContain('"A":2')
  })

  it('close files that are not used, keep few of them open, and leave wide documents to the processes', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { maxOpen: 100 })
    using lookups = new RowLookups()
    const find = (docId: string) =>
      store
        .readFile(docId, (doc) =>
          lookups.run(doc, { sql: 'select A from T where id = 1', args: [], format: undefined }),
        )
        ?.bytes.toString()
    const docIds: string[] = []
    for (let made = 0; made < 20; made++) {
      const docId = await createTable(store, 'T', { A: 'Int' })
      await addColumns(store, docId, 'T', new Map([['A', [made]]]))
      docIds.push(docId)
    }
    for (const [made, docId] of docIds.entries())
      expect(find(docId)).toContain(`"records":[{"fields":{"A":${made}}}]`)
    expect(lookups.size).toBe(16)
    await eventually(() => lookups.size === 0)
    const [docId = ''] = docIds
    const columns = Array.from({ length: 500 }, (_, i) => ({
      id: `C${i}`,
      fields: { type: 'Int' },
    }))
    await store.transact(docId, author, (doc) => addTables(doc, [{ id: 'Wide', columns }]))
    expect(find(docId)).toBeUndefined()
    expect(lookups.size).toBe(0)
  })
})
