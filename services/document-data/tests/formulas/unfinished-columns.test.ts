import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import { eventually } from '@sheaf/testkit/eventually'
import { ExportServiceClientImpl, HeaderStyle } from '@sheaf/protos/sheaf/document_data/v1/export'
import { RecordsView } from '@sheaf/protos/sheaf/document_data/v1/records'
import { defaultFormulaLimits } from '../../src/config'
import { runSql, runSqlBytes } from '../support/run-sql'
import { newColumns, TestInstance } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

/** Messages of a download. */
type Pieces = AsyncIterable<{ chunk: Buffer; pendingColumns?: string; etag?: string }>

async function take(pieces: Pieces) {
  const chunks: Buffer[] = []
  let first: { pendingColumns?: string; etag?: string } | undefined
  for await (const piece of pieces) {
    first ??= piece
    chunks.push(piece.chunk)
  }
  return { bytes: Buffer.concat(chunks), pending: first?.pendingColumns, etag: first?.etag }
}

/** An instance without an evaluator, so that a column that is pending remains so. */
describe('columns whose cells are not all computed', () => {
  let instance: TestInstance
  let channel: GrpcChannel
  let exports: ExportServiceClientImpl
  let docId: string
  const table = 'T'

  beforeAll(async () => {
    buildWorkers()
    const formulas = { ...defaultFormulaLimits, compiles: false, cacheFolder: '/dev/null/none' }
    instance = await TestInstance.start({ formulas })
    channel = openChannel({ address: instance.service.address })
    exports = new ExportServiceClientImpl(channel)
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Plain', { B: 'Int' })
    await clients.add(docId, 'Plain', [{ B: 1 }])
    await clients.addTable(docId, table, { A: 'Int' })
    await clients.add(docId, table, [{ A: 1 }, { A: 2 }, { A: 3 }])
    await addFormula('F', '$A * 10')
    await addFormula('G', 'while True: pass\nreturn 1')
    await change(`UPDATE T SET F = A * 10, G = 'former';
      UPDATE _sheaf_formulas SET pending_after = 1;
      UPDATE _sheaf_formulas SET pending_after = NULL, stopped = 'time' WHERE column_ref IN
        (SELECT id FROM _grist_Tables_column WHERE colId = 'G')`)
    // A change of columns lets the instance read what is known of formulas.
    await addFormula('H', '$A')
  })
  afterAll(async () => {
    await channel[Symbol.asyncDispose]()
    await instance[Symbol.asyncDispose]()
  })

  async function addFormula(id: string, formula: string): Promise<void> {
    const { clients } = instance
    const columns = newColumns([{ id, fields: { type: 'Any', isFormula: true, formula } }])
    const call = await clients.as(docId, 'editors')
    await clients.columns.addColumns({ docId, tableId: table, columns }, call)
  }

  /** Changes the file, when no transaction of the instance is open. */
  async function change(sql: string): Promise<void> {
    const file = join(
      instance.folder.path,
      'documents',
      docId.slice(0, 2),
      docId,
      'document.sqlite',
    )
    const db = new Database(file, { timeout: 0 })
    const isDone = () => {
      db.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`)
      return Promise.resolve(true)
    }
    await eventually(isDone)
    db.close()
  }

  const caller = () => instance.clients.as(docId, 'viewers')
  const stopped = expect.stringContaining('"FormulaStopped"') as string

  it('are null in SQL, and errors where their formula was stopped', async () => {
    expect(await runSql(instance.clients, docId, 'select A, F, G, H from T order by A')).toEqual([
      { A: 1, F: 10, G: stopped, H: null },
      { A: 2, F: null, G: stopped, H: null },
      { A: 3, F: null, G: stopped, H: null },
    ])
    const sum = 'select t.A, (select sum(F) from T) as s from T as t where F is not null'
    expect(await runSql(instance.clients, docId, sum)).toEqual([{ A: 1, s: 10 }])
    expect(await runSql(instance.clients, docId, 'select B from Plain')).toEqual([{ B: 1 }])
  })

  it('leave the tables of SQL as they are, and closed to writes and to what is hidden', async () => {
    const run = (text: string) => runSql(instance.clients, docId, text)
    const [first] = await run('select * from T limit 1')
    expect(Object.keys(first ?? {})).toEqual(['id', 'manualSort', 'A', 'F', 'G', 'H'])
    for (const text of ['select * from _sheaf_formulas', 'select * from sqlite_temp_schema'])
      await expect(run(text)).rejects.toMatchObject({
        message: expect.stringContaining('author') as string,
      })
  })

  it('are named beside the result of SQL, for all tables', async () => {
    const { first } = await runSqlBytes(instance.clients, docId, 'select 1')
    expect(first?.pendingColumns).toBe('T.F, T.H')
  })

  it('are empty in delimited text and workbooks, which name those of their tables', async () => {
    const { bytes, pending } = await take(exports.exportTable(request(table), await caller()))
    expect(bytes.toString()).toBe(
      'A,F,G,H\n1,10,#FormulaStopped,\n2,,#FormulaStopped,\n3,,#FormulaStopped,\n',
    )
    expect(pending).toBe('T.F, T.H')
    const plain = await take(exports.exportTable(request('Plain'), await caller()))
    expect(plain.pending).toBeUndefined()
    const workbook = await take(exports.exportWorkbook(request(''), await caller()))
    expect(workbook.pending).toBe('T.F, T.H')
  })

  it('are null in a SQLite file, with the error of a stopped formula, and are named beside it', async () => {
    const asked = { docId, noHistory: true, template: false }
    const { bytes, pending } = await take(exports.exportDocument(asked, await caller()))
    expect(pending).toBe('T.F, T.H')
    const path = join(instance.folder.path, 'download.sqlite')
    writeFileSync(path, bytes)
    const db = new Database(path)
    expect(db.prepare('SELECT F, G, H FROM T ORDER BY id').all()).toEqual([
      { F: 10, G: stopped, H: null },
      { F: null, G: stopped, H: null },
      { F: null, G: stopped, H: null },
    ])
    db.close()
  })

  it('let no read be answered as unchanged, because computing them may change no log position', async () => {
    const { etag } = await take(exports.exportTable(request(table), await caller()))
    expect(etag).toMatch(/\.\d+~$/)
    for (const tag of [etag ?? '', (etag ?? '').slice(0, -1), '*']) {
      const asked = { ...request(table), options: { ifNoneMatch: [tag] } }
      expect((await take(exports.exportTable(asked, await caller()))).bytes.length).toBeGreaterThan(
        0,
      )
      const options = { ifNoneMatch: [tag] }
      const { first, bytes } = await runSqlBytes(instance.clients, docId, 'select 1', { options })
      expect([first?.notModified, bytes.length > 0]).toEqual([undefined, true])
    }
  })

  it('keep the cursors of pages that are sorted by them valid while they are computed', async () => {
    const page = async (cursor: string) => {
      const { text } = await instance.clients.readText(docId, table, {
        sort: ['-F'],
        limit: 1,
        view: RecordsView.fromPartial({ cursor }),
      })
      const body = JSON.parse(text) as { records: { id: number }[]; nextCursor: string }
      return { id: body.records[0]?.id, next: body.nextCursor }
    }
    const first = await page('')
    expect(first.id).toBe(1)
    await change('UPDATE _sheaf_formulas SET pending_after = 2 WHERE pending_after = 1')
    await addFormula('I', '$A')
    const second = await page(first.next)
    await change('UPDATE _sheaf_formulas SET pending_after = NULL WHERE pending_after = 2')
    await addFormula('J', '$A')
    expect((await page(second.next)).id).toBeDefined()
  })

  const request = (tableId: string) => ({
    docId,
    tableId,
    header: HeaderStyle.COL_ID,
    delimiter: ',',
    rowIds: false,
    standard: false,
    viewSection: 0,
  })
})
