import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { AppError } from '@sheaf/kit/errors'
import { listUnfinished } from '@sheaf/document-log/heads'
import { LOG_SCHEMA, type LogTables } from '@sheaf/document-log/schema'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { openDatabase } from '@sheaf/kit/postgres/database'
import { ListAttachmentsRequest } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { ReadChangesRequest } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { AddColumnsRequest } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { ListHistoryRequest } from '@sheaf/protos/sheaf/document_data/v1/history'
import {
  AddRecordsRequest,
  ReadRecordsRequest,
  UpdateRecordsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { RunSqlRequest } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { createTestDatabase, testEngines, type TestDatabase } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import { defaultFormulaLimits, type DocumentDataConfig } from '../../src/config'
import { startDocumentData, type RunningDocumentData } from '../../src/service'
import { readPublished } from '../support/published-changes'
import { startStandInDirectory, type StandInDirectory } from '../support/stand-in-directory'
import { testConfig, TestClients } from '../support/test-instance'

/** An instance with a lease, and clients that present tokens for its documents. */
interface Instance extends AsyncDisposable {
  readonly name: string
  readonly service: RunningDocumentData
  readonly clients: TestClients
}

let folder: TempDir
let database: TestDatabase
let authority: TokenAuthority

beforeAll(async () => {
  folder = await tempDir()
  database = await createTestDatabase()
  authority = await createTokenAuthority()
})

afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

async function start(
  directory: StandInDirectory,
  name: string,
  config: Partial<Pick<DocumentDataConfig, 'natsUrl' | 'formulas'>> = {},
): Promise<Instance> {
  const service = await startDocumentData(
    {
      ...testConfig(join(folder.path, name)),
      home: name,
      directoryAddress: directory.address,
      replication: {
        logDatabaseUrl: database.url,
        store: { folder: join(folder.path, 'store') },
      },
      ...config,
    },
    { verifier: authority.verifier },
  )
  const clients = new TestClients(service.address, authority)
  return {
    name,
    service,
    clients,
    async [Symbol.asyncDispose]() {
      await clients[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

const call = (instance: Instance, docId: string) =>
  instance.clients.as(docId, 'owners', { home: instance.name })

/** Creates a document with a table T of one column A, once the instance has its lease. */
async function createTable(instance: Instance): Promise<string> {
  const docId = randomUUID()
  const { documents, tables } = instance.clients
  await documents.createDocument({ docId, timezone: '', locale: '' }, await call(instance, docId))
  const columns = [{ id: 'A', fields: { type: 'Text' } }]
  const table = { id: 'T', columns } as never
  await eventually(async () => {
    const adding = tables.addTables({ docId, tables: [table] }, await call(instance, docId))
    return (await reasonOf(adding)) === 'done'
  })
  return docId
}

async function add(instance: Instance, docId: string, value: string, idempotencyKey = '') {
  const bodyJson = Buffer.from(JSON.stringify({ records: [{ fields: { A: value } }] }))
  const options = { idempotencyKey, requestDigest: Buffer.alloc(32, 1) }
  const request = AddRecordsRequest.fromPartial({ docId, tableId: 'T', bodyJson, options })
  return instance.clients.records.addRecords(request, await call(instance, docId))
}

async function read(instance: Instance, docId: string) {
  const request = ReadRecordsRequest.fromPartial({ docId, tableId: 'T' })
  const chunks: Buffer[] = []
  let etag = ''
  const answers = instance.clients.records.readRecords(request, await call(instance, docId))
  for await (const answer of answers) {
    chunks.push(answer.chunk)
    etag ||= answer.etag ?? ''
  }
  return { text: Buffer.concat(chunks).toString(), etag }
}

const reasonOf = (calling: Promise<unknown>) =>
  calling.then(
    () => 'done',
    (error: AppError) => error.reason,
  )

const untilLeased = (instance: Instance, docId: string) =>
  eventually(async () => (await reasonOf(read(instance, docId))) !== 'HOME_LEASE_ENDED')

describe('a document whose instance has lost its lease', () => {
  it('is the same on the instance that takes over, and the former one serves nothing of it', async () => {
    await using directory = await startStandInDirectory(authority, 'a1')
    await using one = await start(directory, 'a1')
    await using two = await start(directory, 'a2')
    const docId = await createTable(one)
    await add(one, docId, 'first')
    const keyed = await add(one, docId, 'keyed', 'key')
    const before = await read(one, docId)
    directory.ended.add('a1')
    directory.assign(docId, 'a2')
    await untilLeased(two, docId)
    expect(await read(two, docId)).toEqual(before)
    expect(await add(two, docId, 'keyed', 'key')).toEqual(keyed)
    expect(await read(two, docId)).toEqual(before)
    const { seq } = await add(two, docId, 'second')
    // Until its lease has ended, nobody else may have been told to take over: then it refuses.
    await eventually(async () => (await reasonOf(read(one, docId))) === 'HOME_LEASE_ENDED')
    expect(await reasonOf(add(one, docId, 'lost'))).toBe('HOME_LEASE_ENDED')
    directory.ended.delete('a1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'DOCUMENT_MOVED')
    expect(await reasonOf(add(one, docId, 'lost'))).toBe('DOCUMENT_MOVED')
    const after = await add(two, docId, 'third')
    expect(after.seq).toBe(seq + 1)
    expect((await read(two, docId)).text).not.toContain('lost')
  })

  it('comes back to an instance with all that was written elsewhere', async () => {
    await using directory = await startStandInDirectory(authority, 'b1')
    await using one = await start(directory, 'b1')
    await using two = await start(directory, 'b2')
    const docId = await createTable(one)
    await add(one, docId, 'first')
    directory.ended.add('b1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'HOME_LEASE_ENDED')
    directory.assign(docId, 'b2')
    await untilLeased(two, docId)
    await add(two, docId, 'second')
    directory.ended.delete('b1')
    directory.ended.add('b2')
    await eventually(async () => (await reasonOf(read(two, docId))) === 'HOME_LEASE_ENDED')
    directory.assign(docId, 'b1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'done')
    expect((await read(one, docId)).text).toContain('second')
  })

  it('is not shown as it was by any read of the former instance', async () => {
    await using directory = await startStandInDirectory(authority, 'c1')
    await using one = await start(directory, 'c1')
    const docId = await createTable(one)
    await add(one, docId, 'first')
    const { clients } = one
    const token = await call(one, docId)
    const drain = async (answers: AsyncIterable<unknown>) => {
      for await (const answer of answers) void answer
    }
    const reads: Record<string, () => Promise<unknown>> = {
      records: () => read(one, docId),
      tables: () => clients.tables.listTables({ docId, withColumns: true }, token),
      columns: () => clients.columns.listColumns({ docId, tableId: 'T', hidden: true }, token),
      sql: () =>
        drain(
          clients.sql.runSql(RunSqlRequest.fromPartial({ docId, sql: 'select * from T' }), token),
        ),
      lookup: () =>
        drain(
          clients.sql.runSql(
            RunSqlRequest.fromPartial({ docId, sql: 'select * from T where id = 1' }),
            token,
          ),
        ),
      history: () =>
        clients.history.listHistory(ListHistoryRequest.fromPartial({ docId, limit: 10 }), token),
      changes: () =>
        drain(clients.changes.readChanges(ReadChangesRequest.fromPartial({ docId }), token)),
      attachments: () =>
        drain(
          clients.attachments.listAttachments(ListAttachmentsRequest.fromPartial({ docId }), token),
        ),
    }
    for (const [what, run] of Object.entries(reads))
      expect([what, await reasonOf(run())]).toEqual([what, 'done'])
    const waiting = reasonOf(
      drain(
        clients.changes.readChanges(
          ReadChangesRequest.fromPartial({ docId, afterSeq: 1000, waitMs: 25_000 }),
          token,
        ),
      ),
    )
    directory.ended.add('c1')
    await eventually(async () => (await reasonOf(read(one, docId))) === 'HOME_LEASE_ENDED')
    for (const [what, run] of Object.entries(reads))
      expect([what, await reasonOf(run())]).toEqual([what, 'HOME_LEASE_ENDED'])
    expect(await waiting).toBe('HOME_LEASE_ENDED')
  })
})

describe('changes that an instance could not publish', () => {
  it('are published once, with the same ids, by the instance that takes over, although nobody asks for the document', async () => {
    await using directory = await startStandInDirectory(authority, 'd1')
    const one = await start(directory, 'd1', { natsUrl: 'nats://127.0.0.1:1' })
    const docId = await createTable(one)
    const { seq } = await add(one, docId, 'first')
    await using two = await start(directory, 'd2')
    const nats = await connectNats({
      url: testEngines().natsUrl,
      name: 'test',
      log: createLogger('test'),
      signal: new AbortController().signal,
    })
    try {
      directory.ended.add('d1')
      await eventually(() => directory.assignmentOf(docId).home === 'd2', { timeoutMs: 20_000 })
      await eventually(async () => (await readPublished(nats, docId)).events.at(-1)?.seq === seq)
      await one[Symbol.asyncDispose]()
      const { seq: next } = await add(two, docId, 'second')
      await eventually(async () => (await readPublished(nats, docId)).events.at(-1)?.seq === next)
      const { events, epochs } = await readPublished(nats, docId)
      expect(events.map((event) => event.seq)).toEqual(
        Array.from({ length: next }, (_, index) => index + 1),
      )
      expect(epochs.size).toBe(1)
    } finally {
      await nats.close()
    }
  })
})

describe('cells that an instance had still to compute', () => {
  it('are computed by the instance that takes over, although nobody asks for the document', async () => {
    await using directory = await startStandInDirectory(authority, 'f1')
    const formulas = { ...defaultFormulaLimits, compiles: false, cacheFolder: '/dev/null/none' }
    await using one = await start(directory, 'f1', { formulas })
    const docId = await createTable(one)
    await add(one, docId, 'first')
    const { columns } = one.clients
    const fields = { type: 'Text', isFormula: true, formula: '$A.upper()' }
    const request = AddColumnsRequest.fromPartial({
      docId,
      tableId: 'T',
      columns: [{ id: 'F', fields }],
    })
    await columns.addColumns(request, await call(one, docId))
    await using two = await start(directory, 'f2')
    const log = createLogger('test')
    const db = openDatabase<LogTables>({ url: database.url, schema: LOG_SCHEMA, log })
    try {
      const left = async (...homes: string[]) => {
        const unfinished = await listUnfinished(db, homes)
        return unfinished.find((each) => each.docId === docId)
      }
      // What is to be published would open the document as well.
      await eventually(async () => (await left('f1'))?.unpublished === false)
      expect(await left('f1')).toMatchObject({ pending: true })
      directory.ended.add('f1')
      await eventually(() => directory.assignmentOf(docId).home === 'f2', { timeoutMs: 20_000 })
      await eventually(async () => !(await left('f1', 'f2'))?.pending)
    } finally {
      await db.destroy()
    }
    expect((await read(two, docId)).text).toContain('"F":"FIRST"')
  })
})

describe('cells of trigger formulas that were late', () => {
  it('are computed by the instance that takes over', async () => {
    await using directory = await startStandInDirectory(authority, 'g1')
    const formulas = { ...defaultFormulaLimits, compiles: false, cacheFolder: '/dev/null/none' }
    const one = await start(directory, 'g1', { formulas })
    const docId = await createTable(one)
    const fields = { type: 'Text', formula: '$A.upper()' }
    const request = AddColumnsRequest.fromPartial({
      docId,
      tableId: 'T',
      columns: [{ id: 'F', fields: { isFormula: false, ...fields } }],
    })
    await one.clients.columns.addColumns(request, await call(one, docId))
    await add(one, docId, 'first')
    await add(one, docId, 'second')
    expect((await read(one, docId)).text).not.toContain('FIRST')
    // Neither its file nor a snapshot of it is there for the other instance.
    await using two = await start(directory, 'g2')
    directory.ended.add('g1')
    directory.assign(docId, 'g2')
    await untilLeased(two, docId)
    await eventually(async () => (await read(two, docId)).text.includes('"F":"SECOND'), {
      timeoutMs: 60_000,
    })
    expect((await read(two, docId)).text).toContain('"F":"FIRST')
    await one[Symbol.asyncDispose]()
  })
})

describe('results that an instance had still to compute', () => {
  it('run the trigger formulas that name their column, on the instance that takes over', async () => {
    await using directory = await startStandInDirectory(authority, 'h1')
    const before = await start(directory, 'h1')
    const docId = await createTable(before)
    const addColumn = async (id: string, fields: object) =>
      before.clients.columns.addColumns(
        AddColumnsRequest.fromPartial({ docId, tableId: 'T', columns: [{ id, fields }] }),
        await call(before, docId),
      )
    await addColumn('F', { type: 'Text', isFormula: true, formula: '$A.upper()' })
    const { columns } = await before.clients.columns.listColumns(
      { docId, tableId: 'T', hidden: false },
      await call(before, docId),
    )
    const dependsOn = [columns.find(({ id }) => id === 'F')?.colRef]
    const recalcDepsJson = Buffer.from(JSON.stringify(['L', ...dependsOn]))
    await addColumn('G', { type: 'Text', isFormula: false, formula: '"<" + $F', recalcDepsJson })
    await add(before, docId, 'first')
    await eventually(async () => (await read(before, docId)).text.includes('"G":"<FIRST"'))
    await before[Symbol.asyncDispose]()
    const formulas = { ...defaultFormulaLimits, compiles: false, cacheFolder: '/dev/null/none' }
    await using one = await start(directory, 'h1', { formulas })
    await untilLeased(one, docId)
    const bodyJson = Buffer.from(JSON.stringify({ records: [{ id: 1, fields: { A: 'second' } }] }))
    const request = UpdateRecordsRequest.fromPartial({ docId, tableId: 'T', bodyJson })
    await one.clients.records.updateRecords(request, await call(one, docId))
    expect((await read(one, docId)).text).toContain('"G":"<FIRST"')
    // Neither its file nor a snapshot of it is there for the other instance.
    await using two = await start(directory, 'h2')
    directory.ended.add('h1')
    directory.assign(docId, 'h2')
    await untilLeased(two, docId)
    await eventually(async () => (await read(two, docId)).text.includes('"G":"<SECOND"'))
  })
})

describe('an instance that stops', () => {
  it('ends its lease when it has answered its last call', async () => {
    await using directory = await startStandInDirectory(authority, 'e1')
    const one = await start(directory, 'e1')
    await createTable(one)
    expect(directory.reports.at(-1)).toMatchObject({ replicated: true, released: false })
    await one[Symbol.asyncDispose]()
    expect(directory.reports.at(-1)).toMatchObject({ replicated: true, released: true })
    expect(new Set(directory.reports.map(({ startId }) => startId)).size).toBe(1)
  })
})
